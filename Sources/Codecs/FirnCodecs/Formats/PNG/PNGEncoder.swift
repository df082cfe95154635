internal import CFirnCodecs
package import FoundationEssentials

/// Encodes PNG; see ``ImageEncoders/png(compressionLevel:reducesColors:)``.
package struct PNGEncoder: ImageEncoding {
    /// Always ``/FirnImage/ImageFormat/png``.
    package var format: ImageFormat { .png }
    /// The compression level of zlib, from 0 (none) to 9.
    package let compressionLevel: Int
    /// True if images that need less than RGB are stored as gray or with a palette.
    package let reducesColors: Bool

    /// Creates an encoder.
    package init(compressionLevel: Int = 6, reducesColors: Bool = true) {
        self.compressionLevel = min(max(compressionLevel, 0), 9)
        self.reducesColors = reducesColors
    }

    /// Encodes `image` as a whole file. Checks the cancellation flag every 16 rows.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if a side is longer than 2³¹ − 1 pixels or there is no memory.
    /// - Source: W3C PNG (third edition).
    package func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        var options = firn_png_options(
            level: Int32(clamping: compressionLevel), reduces: reducesColors, keeps_alpha: false)
        let source = EncodingSource(
            format: .png, wideFormats: [.rgba16Straight], cancellation: cancellation, metadata: metadata)
        let file = try source.encode(image) { image, encoded in firn_encode_png(&image, &options, &encoded) }
        return try metadata.added(to: file, of: .png, size: image.size)
    }
}
