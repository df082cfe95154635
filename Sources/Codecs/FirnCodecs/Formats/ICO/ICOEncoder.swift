internal import CFirnCodecs
package import FoundationEssentials

/// Encodes icons of one image, stored as PNG with alpha, as Windows Vista and all browsers read it.
///
/// Lossless for 8 bits: decoding returns the encoded pixels. Images of more than 8 bits are rounded to 8. Sides have at
/// most 256 pixels. Icons store no profile and no EXIF data; colors are assumed to be sRGB.
package struct ICOEncoder: ImageEncoding {
    /// Always ``/FirnImage/ImageFormat/ico``.
    package var format: ImageFormat { .ico }

    /// Creates an encoder.
    package init() {}

    /// Encodes `image` as a whole file. Checks the cancellation flag every 16 rows.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if a side is too long or there is no memory.
    /// - Source: Documentation/Formats/ico.md.
    package func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        // Windows reads PNG in icons with 32 bits a pixel only.
        var options = firn_png_options(level: 9, reduces: false, keeps_alpha: true)
        let source = EncodingSource(
            format: .ico, maximumSide: 256, cancellation: cancellation,
            metadata: EncodingMetadata(keepsColorProfile: false))
        let png = try source.encode(image) { image, encoded in firn_encode_png(&image, &options, &encoded) }
        // A directory of one entry, in which 256 is stored as 0, takes the 22 bytes before the PNG.
        let sides = [image.size.width, image.size.height].map { UInt8(truncatingIfNeeded: $0) }
        let head = Data([0, 0, 1, 0, 1, 0] + sides + [0, 0, 1, 0, 32, 0])
        return head + png.count.littleEndianBytes(4) + 22.littleEndianBytes(4) + png
    }
}
