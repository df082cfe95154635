internal import CFirnCodecs
public import FirnImage
public import FoundationEssentials

/// Writes PNG (RGB for opaque pictures, else RGBA; 16 bits for pictures of more than 8) through libpng.
///
/// Exact: what is decoded again is what was encoded, premultiplied pictures included; half floats are cut to 0...1 and
/// rounded to 16 bits. A profile other than sRGB is
/// embedded.
public struct PNGEncoder: ImageEncoding {
    /// Always ``ImageFormat/png``.
    public var format: ImageFormat { .png }
    /// How hard zlib tries, from 0 (not at all) to 9.
    public let compressionLevel: Int

    /// Makes an encoder.
    ///
    /// - Parameter compressionLevel: 0 to 9, zlib's scale; values beyond are cut. Default: 6, as zlib's: at 9
    ///   photographs are 3 % smaller and take five times as long. Up to 3, two row filters are tried instead of five.
    public init(compressionLevel: Int = 6) {
        self.compressionLevel = min(max(compressionLevel, 0), 9)
    }

    /// Encodes `image` as a whole file.
    ///
    /// - Throws: ``EncodingError`` if a side is longer than 2³¹ − 1 pixels or there is no memory.
    /// - Source: W3C PNG (third edition).
    public func encode(_ image: Bitmap) throws(EncodingError) -> Data {
        var options = firn_png_options(level: Int32(compressionLevel))
        return try EncodingSource.encode(image, as: .png, maximumSide: Int(Int32.max), keepsWords: true) {
            picture, encoded in
            firn_encode_png(&picture, &options, &encoded)
        }
    }
}
