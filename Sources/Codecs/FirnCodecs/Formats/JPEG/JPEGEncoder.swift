internal import CFirnCodecs
public import FoundationEssentials

/// Encodes JPEG (8 bits, YCbCr) with libjpeg-turbo.
///
/// Images with transparent pixels are an error, because only the caller knows the background color.
/// Sides have at most 65,500 pixels. A profile other than sRGB is embedded. Images of more than 8 bits
/// are rounded to 8. EXIF data of more than 65,527 bytes, which no file can hold, are left out, except the artist and
/// the copyright.
public struct JPEGEncoder: ImageEncoding {
    /// Always ``/FirnImage/ImageFormat/jpeg``.
    public var format: ImageFormat { .jpeg }
    /// The quality, from 0 to 1.
    public let quality: Double
    /// True if the file is progressive: stored in passes from coarse to fine.
    public let isProgressive: Bool
    /// The chroma subsampling.
    public let chroma: ChromaSubsampling
    /// True if Huffman codes are optimized for each image.
    public let isOptimized: Bool

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, a hundredth of libjpeg's scale. Values beyond are clamped. Default: 0.85, at which
    ///     artifacts are hard to see and photographs take about a sixth of the bytes at 1.
    ///   - progressive: whether the file is stored in passes: about 5 % smaller, three times as slow to decode.
    ///   - chroma: the chroma subsampling. Default: 4:2:0 below a quality of 0.9.
    ///   - optimized: whether Huffman codes are optimized for each image, which takes a second pass over the
    ///     coefficients and saves about 2 %. Progressive files always have such codes. Default: false.
    public init(
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
    /// - Source: ITU-T T.81; ICC.1:2022 annex B.4 for the profile's segments.
    public func encode(
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
        return try source.encode(image) { image, encoded in firn_encode_jpeg(&image, &options, &encoded) }
    }

    /// The most bytes of EXIF data: a segment of 65,535 without its length and the name of its content.
    package static let longestEXIF = 65_527

    /// Returns whether EXIF data of an image are too long for a file, and left out.
    package static func leavesOut(_ exif: Data, of size: PixelSize) -> Bool {
        // The thumbnail is removed, so less may be written.
        exif.count > longestEXIF && (UprightEXIF.data(exif, for: size)?.count ?? 0) > longestEXIF
    }
}
