internal import CFirnCodecs
public import FirnImage
public import FoundationEssentials

/// Writes WebP, lossy or lossless, with alpha where the picture has it, through libwebp.
///
/// Sides of at most 16,383 pixels. A profile other than sRGB is embedded. Pictures of more than 8 bits are
/// rounded to 8.
public struct WebPEncoder: ImageEncoding {
    /// Always ``ImageFormat/webp``.
    public var format: ImageFormat { .webp }
    /// How much is kept, from 0 to 1.
    public let quality: Double
    /// Whether every byte is kept.
    public let isLossless: Bool

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, a hundredth of libwebp's scale; values beyond are cut; without effect where lossless.
    ///     Default: 0.8, a little above libwebp's own, where photographs take about half the bytes of
    ///     ``JPEGEncoder``'s default. Alpha is kept exactly.
    ///   - lossless: whether every byte is kept, those of invisible pixels too.
    public init(quality: Double = 0.8, lossless: Bool = false) {
        self.quality = quality
        isLossless = lossless
    }

    /// Encodes `image` as a whole file.
    ///
    /// - Throws: ``EncodingError`` if a side is too long, the picture has more detail than the format's partitions
    ///   hold, or there is no memory.
    /// - Source: RFC 9649.
    public func encode(_ image: Bitmap) throws(EncodingError) -> Data {
        // Where lossless, the library reads quality as effort: 75 is its own default.
        var options = firn_webp_options(
            quality: isLossless ? 75 : Float(EncodingSource.percentage(quality)), lossless: isLossless)
        return try EncodingSource.encode(image, as: .webp, maximumSide: 16_383) { picture, encoded in
            firn_encode_webp(&picture, &options, &encoded)
        }
    }
}
