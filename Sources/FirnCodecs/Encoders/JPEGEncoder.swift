internal import CFirnCodecs
public import FirnImage
public import FoundationEssentials

/// Writes JPEG (8 bits, YCbCr) through libjpeg-turbo.
///
/// Takes opaque pictures; one with transparent pixels is an error, since nobody but the caller knows the colour to put
/// behind it. Sides of at most 65,500 pixels. A profile other than sRGB is embedded. Pictures of
/// more than 8 bits are rounded to 8.
public struct JPEGEncoder: ImageEncoding {
    /// Always ``ImageFormat/jpeg``.
    public var format: ImageFormat { .jpeg }
    /// How much is kept, from 0 to 1.
    public let quality: Double
    /// Whether the file is stored in passes from coarse to fine.
    public let isProgressive: Bool

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, a hundredth of libjpeg's scale; values beyond are cut. Default: 0.85, at which artefacts
    ///     are hard to see and files are about an eighth of those at 1. From 0.9 on colour is stored for every pixel,
    ///     below that for every four.
    ///   - progressive: whether the file is stored in passes: a few per cent smaller, about three times as slow to
    ///     decode.
    public init(quality: Double = 0.85, progressive: Bool = false) {
        self.quality = quality
        isProgressive = progressive
    }

    /// Encodes `image` as a whole file.
    ///
    /// - Throws: ``EncodingError`` if `image` has transparent pixels, a side is too long or there is no memory.
    /// - Source: ITU-T T.81; ICC.1:2022 annex B.4 for the profile's segments.
    public func encode(_ image: Bitmap) throws(EncodingError) -> Data {
        var options = firn_jpeg_options(
            quality: Int32(max(1, EncodingSource.percentage(quality))), progressive: isProgressive,
            full_chroma: quality >= 0.9)
        return try EncodingSource.encode(image, as: .jpeg, maximumSide: 65_500) { picture, encoded in
            firn_encode_jpeg(&picture, &options, &encoded)
        }
    }
}
