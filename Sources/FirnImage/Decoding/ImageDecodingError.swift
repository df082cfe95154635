/// Why an image could not be decoded, by whose fault it was.
public struct ImageDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The party at fault.
    public enum Fault: String, Hashable, Sendable {
        /// The file's content is damaged, cut short or not an image.
        case data
        /// The content is right but asks for something this build cannot do.
        case unsupported
        /// A limit of ``ImageLimits``, or the machine's memory, was exceeded.
        case limit
        /// The caller asked for something that the file does not have, or used a decoder in a way that makes no sense.
        case request
        /// Bytes that are still to come are needed; the session goes on.
        case incomplete
        /// The caller asked to stop.
        case cancelled
    }

    /// The party at fault.
    public let fault: Fault
    /// What was wrong, in one line without the source's name.
    public let message: String
    /// The format, where it was known.
    public let format: ImageFormat?

    /// Creates an error.
    public init(_ fault: Fault, _ message: String, format: ImageFormat? = nil) {
        self.fault = fault
        self.message = message
        self.format = format
    }

    /// One line: the format and what was wrong.
    public var description: String { format.map { "\($0): \(message)" } ?? message }
}
