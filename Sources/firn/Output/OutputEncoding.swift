import Firn
import FoundationEssentials

/// Encodes images.
enum OutputEncoding {
    /// Returns an image as a file of a format.
    ///
    /// - Throws: `ImageEncodingError`.
    static func data(_ image: Bitmap, as format: ImageFormat, quality: Double?) throws(ImageEncodingError) -> Data {
        guard let encoder = ImageEncoders.encoder(for: format, quality: quality) else {
            throw ImageEncodingError(format: format, message: "this build cannot write the format")
        }
        return try encoder.encode(image)
    }
}
