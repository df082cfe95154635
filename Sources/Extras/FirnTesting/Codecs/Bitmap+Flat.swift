import FirnImage
import FirnSystem

extension Bitmap {
    /// Returns the result of a decode of a test image: opaque, with the same value in every byte.
    ///
    /// - Parameters:
    ///   - size: the stored size. The result has the target size of the options, if they have one.
    ///   - format: the format that an error names.
    static func flat(
        _ value: UInt8, _ size: PixelSize, _ options: DecodingOptions, format: ImageFormat? = nil
    ) throws(ImageDecodingError) -> Bitmap {
        let size = options.targetSize?.resolved(for: size) ?? size
        do {
            return try Bitmap(size: size, format: options.pixelFormat, isOpaque: true) { pixels in
                for y in 0..<size.height {
                    memset(pixels.row(y), Int32(value), size.width * options.pixelFormat.bytesPerPixel)
                }
            }
        } catch {
            throw ImageDecodingError(.limit, "\(error)", format: format)
        }
    }
}
