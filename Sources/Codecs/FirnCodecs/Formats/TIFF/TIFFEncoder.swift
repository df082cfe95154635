internal import CFirnCodecs
package import FoundationEssentials

/// Encodes TIFF: one page of RGB or RGBA, compressed with Deflate, with 16 bits for images of more than 8. Does not
/// need libtiff.
///
/// Lossless: decoding returns the encoded pixels. Half floats are clamped to 0...1 and rounded to 16 bits. A profile
/// other than sRGB is embedded. EXIF data are written without maker notes. Files have at most 4 GiB.
package struct TIFFEncoder: ImageEncoding {
    /// Always ``/FirnImage/ImageFormat/tiff``.
    package var format: ImageFormat { .tiff }
    /// The compression level of zlib, from 0 (none) to 9.
    package let compressionLevel: Int

    /// Creates an encoder.
    ///
    /// - Parameter compressionLevel: 0 to 9, zlib's scale. Values beyond are clamped. Default: 6, zlib's own default.
    package init(compressionLevel: Int = 6) { self.compressionLevel = min(max(compressionLevel, 0), 9) }

    /// Encodes `image` as a whole file. Checks the cancellation flag every 16 rows.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if the file would be too long or there is no memory.
    /// - Source: Documentation/Formats/tiff.md.
    package func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        let source = EncodingSource(
            format: .tiff, wideFormats: [.rgba16Straight], cancellation: cancellation, metadata: metadata)
        let file = try source.encode(image) { image, encoded in
            firn_encode_tiff(&image, Int32(clamping: compressionLevel), &encoded)
        }
        return try metadata.added(to: file, of: .tiff, size: image.size)
    }
}
