/// Why an image could not be encoded.
public struct ImageEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The party at fault.
    public enum Fault: String, Hashable, Sendable {
        /// The format cannot hold this image: transparent pixels, a size without area, frames of several sizes.
        case image
        /// A limit of the format, or the machine's memory, was exceeded.
        case limit
        /// This build, or the library on this machine, cannot write the format.
        case unsupported
        /// The library failed for reasons of its own.
        case library
        /// The caller asked to stop.
        case cancelled
    }

    /// The format that was to be written.
    public let format: ImageFormat
    /// The party at fault.
    public let fault: Fault
    /// What was wrong, in one line.
    public let message: String

    /// Creates an error. Default: the image is to blame.
    public init(format: ImageFormat, _ fault: Fault = .image, message: String) {
        self.format = format
        self.fault = fault
        self.message = message
    }

    /// The caller asked to stop.
    public static func cancelled(_ format: ImageFormat) -> ImageEncodingError {
        ImageEncodingError(format: format, .cancelled, message: "encoding was cancelled")
    }

    /// One line: the format and what was wrong.
    public var description: String { "\(format): \(message)" }
}
