internal import CFirnCodecs
package import FoundationEssentials

/// Encodes JPEG; see ``ImageEncoders/jpeg(quality:progressive:fullChroma:optimized:)``.
package struct JPEGEncoder: ImageEncoding {
    /// Always ``/FirnImage/ImageFormat/jpeg``.
    package var format: ImageFormat { .jpeg }
    /// The quality, from 0 to 1.
    package let quality: Double
    /// True if the file is progressive: stored in passes from coarse to fine.
    package let isProgressive: Bool
    /// The chroma subsampling.
    package let chroma: ChromaSubsampling
    /// True if Huffman codes are optimized for each image.
    package let isOptimized: Bool

    /// Creates an encoder.
    package init(
        quality: Double = 0.85, progressive: Bool = false, chroma: ChromaSubsampling = .automatic,
        optimized: Bool = false
    ) {
        self.quality = quality
        isProgressive = progressive
        self.chroma = chroma
        isOptimized = optimized
    }

    /// Encodes `image` as a whole file. Checks the cancellation flag every 16 rows.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if `image` has transparent pixels, a side is too long or there is no
    ///   memory.
    /// A gain map is written behind the image.
    ///
    /// - Source: ITU-T T.81; ICC.1:2022 annex B.4 for the profile's segments.
    package func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        var options = firn_jpeg_options(
            quality: Int32(clamping: max(1, EncodingSource.percentage(quality))), progressive: isProgressive,
            full_chroma: chroma.isFull(at: quality), optimized: isOptimized)
        var metadata = metadata
        if let exif = metadata.exif, JPEGEncoder.leavesOut(exif, of: image.size) {
            metadata.exif = CopyrightNotice(exif: exif)?.exif
        }
        let source = EncodingSource(format: .jpeg, maximumSide: 65_500, cancellation: cancellation, metadata: metadata)
        let file = try source.encode(image) { image, encoded in firn_encode_jpeg(&image, &options, &encoded) }
        guard let map = metadata.gainMap else { return try metadata.added(to: file, of: .jpeg, size: image.size) }
        let encoder = JPEGEncoder(quality: max(quality, GainMap.leastQuality), optimized: isOptimized)
        let encoded = try map.encoded(by: encoder, for: image.size, cancellation)
        // Order: the records first, because the index of the images counts their bytes.
        var records = metadata
        records.xmp = nil
        let base = try records.added(to: file, of: .jpeg, size: image.size)
        return JPEGGainMap.file(base, map: encoded, map.metadata, joining: metadata.xmp) ?? base
    }

    /// The most bytes of EXIF data: a segment of 65,535 without its length and the name of its content.
    package static let longestEXIF = 65_527

    /// Returns whether EXIF data of an image are too long for a file, and left out.
    package static func leavesOut(_ exif: Data, of size: PixelSize) -> Bool {
        // The thumbnail is removed, so less may be written.
        exif.count > longestEXIF && (UprightEXIF.data(exif, for: size)?.count ?? 0) > longestEXIF
    }
}

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
