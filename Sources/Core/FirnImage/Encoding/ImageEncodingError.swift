/// An encoding failure, classified by its cause.
public struct ImageEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause of the failure.
    public enum Fault: String, Hashable, Sendable {
        /// The format cannot hold this image: transparent pixels, an empty size, frames of several sizes.
        case image
        /// A limit of the format is exceeded, or there is no memory.
        case limit
        /// This build, or the library on this machine, cannot write the format.
        case unsupported
        /// The library failed for another reason.
        case library
        /// The caller cancelled.
        case cancelled
    }

    /// The format to be written.
    public let format: ImageFormat
    /// The cause of the failure.
    public let fault: Fault
    /// The reason, in one line.
    public let message: String

    /// Creates an error. Default fault: ``Fault/image``.
    public init(format: ImageFormat, _ fault: Fault = .image, message: String) {
        self.format = format
        self.fault = fault
        self.message = message
    }

    /// Returns the error for a cancellation.
    public static func cancelled(_ format: ImageFormat) -> ImageEncodingError {
        ImageEncodingError(format: format, .cancelled, message: "encoding was cancelled")
    }

    /// The format and the reason, in one line.
    public var description: String { "\(format): \(message)" }
}
