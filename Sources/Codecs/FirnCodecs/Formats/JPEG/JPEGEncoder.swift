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
