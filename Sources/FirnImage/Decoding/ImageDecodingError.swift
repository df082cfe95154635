/// A decoding failure, classified by its cause.
public struct ImageDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause of the failure.
    public enum Fault: String, Hashable, Sendable {
        /// The content is damaged, truncated or not an image.
        case data
        /// The content is valid but needs a feature that this build lacks.
        case unsupported
        /// A limit of ``ImageLimits`` is exceeded, or there is no memory.
        case limit
        /// The caller asked for something that the file does not have, or called the decoder in the wrong order.
        case request
        /// More bytes are needed; the session continues.
        case incomplete
        /// The caller cancelled.
        case cancelled
    }

    /// The cause of the failure.
    public let fault: Fault
    /// The reason, in one line without the name of the source.
    public let message: String
    /// The format; `nil` if it is unknown.
    public let format: ImageFormat?

    /// Creates an error.
    public init(_ fault: Fault, _ message: String, format: ImageFormat? = nil) {
        self.fault = fault
        self.message = message
        self.format = format
    }

    /// The format and the reason, in one line.
    public var description: String { format.map { "\($0): \(message)" } ?? message }
}
