internal import CFirnCodecs
package import FoundationEssentials

/// Encodes BMP without compression: 24 bits a pixel, or 32 with alpha.
///
/// Lossless for 8 bits: decoding returns the encoded pixels, but viewers, Firn included, show a file without any
/// visible pixel as opaque. Images of more than 8 bits are rounded to 8. A profile other than sRGB is embedded. EXIF
/// data cannot be stored. Files have at most 4 GiB.
package struct BMPEncoder: ImageEncoding {
    /// Always ``/FirnImage/ImageFormat/bmp``.
    package var format: ImageFormat { .bmp }

    /// Creates an encoder.
    package init() {}

    /// Encodes `image` as a whole file. Checks the cancellation flag every 16 rows.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if the file would be too long or there is no memory.
    /// - Source: Documentation/Formats/bmp.md.
    package func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        let source = EncodingSource(format: .bmp, cancellation: cancellation, metadata: metadata)
        return try source.encode(image) { image, encoded in firn_encode_bmp(&image, &encoded) }
    }
}
