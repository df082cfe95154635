import Firn
import FoundationEssentials

/// Turns pictures into files.
enum PictureEncoding {
    /// A picture as a file of a format.
    ///
    /// - Throws: `EncodingError`.
    static func data(_ picture: Bitmap, as format: ImageFormat, quality: Double?) throws(EncodingError) -> Data {
        guard let encoder = ImageEncoders.encoder(for: format, quality: quality) else {
            throw EncodingError(format: format, message: "this build cannot write the format")
        }
        return try encoder.encode(picture)
    }
}
