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
        /// The caller requested something that the file does not have, or called the decoder in the wrong order.
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
    /// The original error of a custom decoder; `nil` if there is none, as for Firn's decoders.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - fault: the cause of the failure.
    ///   - message: the reason, in one line without the name of the source.
    ///   - format: the format, if it is known.
    ///   - underlying: the original error. Default: none. It lives as long as this error, so it should hold nothing
    ///     large.
    public init(_ fault: Fault, _ message: String, format: ImageFormat? = nil, underlying: (any Error)? = nil) {
        self.fault = fault
        self.message = message
        self.format = format
        self.underlying = underlying
    }

    /// Returns whether all parts are equal except the underlying errors, which may not be comparable.
    public static func == (a: ImageDecodingError, b: ImageDecodingError) -> Bool {
        a.fault == b.fault && a.message == b.message && a.format == b.format
    }

    /// Hashes the parts that count for equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fault)
        hasher.combine(message)
        hasher.combine(format)
    }

    /// The format and the reason, in one line.
    public var description: String { format.map { "\($0): \(message)" } ?? message }
}
