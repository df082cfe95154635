import Firn
import FoundationEssentials

/// Turns images into files.
enum OutputEncoding {
    /// An image as a file of a format.
    ///
    /// - Throws: `ImageEncodingError`.
    static func data(_ image: Bitmap, as format: ImageFormat, quality: Double?) throws(ImageEncodingError) -> Data {
        guard let encoder = ImageEncoders.encoder(for: format, quality: quality) else {
            throw ImageEncodingError(format: format, message: "this build cannot write the format")
        }
        return try encoder.encode(image)
    }
}
