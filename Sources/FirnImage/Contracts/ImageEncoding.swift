public import FoundationEssentials

/// Writes pictures in one format.
public protocol ImageEncoding: Sendable {
    /// The format written.
    var format: ImageFormat { get }

    /// Encodes `image` as a whole file. Deterministic: equal pictures give equal bytes.
    ///
    /// - Throws: ``EncodingError``.
    func encode(_ image: Bitmap) throws(EncodingError) -> Data
}

/// Why a picture could not be encoded.
public struct EncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The format that was to be written.
    public let format: ImageFormat
    /// What was wrong, in one line.
    public let message: String

    /// Makes an error.
    public init(format: ImageFormat, message: String) {
        self.format = format
        self.message = message
    }

    /// One line: the format and what was wrong.
    public var description: String { "\(format): \(message)" }
}
