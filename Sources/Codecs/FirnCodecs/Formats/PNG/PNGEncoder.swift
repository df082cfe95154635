internal import CFirnCodecs
public import FoundationEssentials

/// Encodes PNG with libpng: gray, palette, RGB or RGBA, the smallest that holds the image exactly, with 16 bits for
/// images of more than 8.
///
/// Lossless: decoding returns the encoded pixels, also of premultiplied images. Half floats are clamped to 0...1 and
/// rounded to 16 bits. A profile other than sRGB is embedded.
public struct PNGEncoder: ImageEncoding {
    /// Always ``/FirnImage/ImageFormat/png``.
    public var format: ImageFormat { .png }
    /// The compression level of zlib, from 0 (none) to 9.
    public let compressionLevel: Int
    /// True if images that need less than RGB are stored as gray or with a palette.
    public let reducesColors: Bool

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - compressionLevel: 0 to 9, zlib's scale. Values beyond are clamped. Default: 6, zlib's own default. At 9,
    ///     photographs are 2 % smaller and take four times as long. Up to 3, two row filters are tried instead of five.
    ///   - reducesColors: whether gray images are stored as gray, and those of at most 256 colors with a palette. The
    ///     pixels are the same. Default: true.
    public init(compressionLevel: Int = 6, reducesColors: Bool = true) {
        self.compressionLevel = min(max(compressionLevel, 0), 9)
        self.reducesColors = reducesColors
    }

    /// Encodes `image` as a whole file. Checks the cancellation flag every 16 rows.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if a side is longer than 2³¹ − 1 pixels or there is no memory.
    /// - Source: W3C PNG (third edition).
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        var options = firn_png_options(
            level: Int32(clamping: compressionLevel), reduces: reducesColors, keeps_alpha: false)
        let source = EncodingSource(
            format: .png, maximumSide: Int(Int32.max), wideFormats: [.rgba16Straight], cancellation: cancellation,
            metadata: metadata)
        return try source.encode(image) { image, encoded in firn_encode_png(&image, &options, &encoded) }
    }
}
