internal import CFirnCodecs
public import FirnImage
public import FoundationEssentials

/// Writes PNG through libpng: gray, with a palette, RGB or RGBA, whichever is the least that holds the image exactly; 16
/// bits for images of more than 8.
///
/// Exact: what is decoded again is what was encoded, premultiplied images included; half floats are cut to 0...1 and
/// rounded to 16 bits. A profile other than sRGB is
/// embedded.
public struct PNGEncoder: ImageEncoding {
    /// Always ``/FirnImage/ImageFormat/png``.
    public var format: ImageFormat { .png }
    /// How hard zlib tries, from 0 (not at all) to 9.
    public let compressionLevel: Int
    /// Whether images that need less than RGB are stored with less.
    public let reducesColors: Bool

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - compressionLevel: 0 to 9, zlib's scale; values beyond are cut. Default: 6, as zlib's: at 9
    ///     photographs are 2 % smaller and take four times as long. Up to 3, two row filters are tried instead of five.
    ///   - reducesColors: whether gray images are stored gray, and those of at most 256 colors with a palette. The
    ///     pixels are the same. Default: yes.
    public init(compressionLevel: Int = 6, reducesColors: Bool = true) {
        self.compressionLevel = min(max(compressionLevel, 0), 9)
        self.reducesColors = reducesColors
    }

    /// Encodes `image` as a whole file; the flag is looked at every 16 rows.
    ///
    /// - Throws: ``/FirnImage/ImageEncodingError`` if a side is longer than 2³¹ − 1 pixels or there is no memory.
    /// - Source: W3C PNG (third edition).
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> Data {
        var options = firn_png_options()
        options.level = Int32(compressionLevel)
        options.reduces = reducesColors
        let source = EncodingSource(
            format: .png, maximumSide: Int(Int32.max), wideFormats: [.rgba16Straight], cancellation: cancellation,
            metadata: metadata)
        return try source.encode(image) { image, encoded in firn_encode_png(&image, &options, &encoded) }
    }
}
