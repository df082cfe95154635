internal import CFirnCodecs
package import FoundationEssentials

/// Encodes WebP; see ``ImageEncoders/webp(quality:lossless:effort:)``.
package struct WebPEncoder: LibraryEncoding {
    /// Always ``/FirnImage/ImageFormat/webp``.
    package var format: ImageFormat { .webp }
    /// The quality, from 0 to 1.
    package let quality: Double
    /// True if the pixels are kept exactly.
    package let isLossless: Bool
    /// The effort of the library, from 0 to 6.
    package let effort: Int

    /// Creates an encoder.
    package init(quality: Double = 0.8, lossless: Bool = false, effort: Int = 4) {
        self.quality = quality
        isLossless = lossless
        self.effort = min(max(effort, 0), 6)
    }

    /// Encodes `image` as a whole file. Checks the cancellation flag whenever the library reports progress.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if a side is too long, the image has more detail than the format's
    ///   partitions hold, or there is no memory.
    /// - Source: RFC 9649.
    package func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        var options = options
        let file = try writer(isWide: false).source(cancellation, metadata).encode(image) { image, encoded in
            firn_encode_webp(&image, &options, &encoded)
        }
        return try metadata.added(to: file, of: .webp, size: image.size)
    }

    /// Returns the writer. The library keeps the encoded frames and three canvases of an animation in memory.
    package func writer(isWide: Bool) -> LibraryWriter {
        LibraryWriter(.webp, maximumSide: 16_383, options, firn_animation_webp)
    }

    private var options: firn_webp_options {
        // For lossless files, the library reads quality as effort: 75 is its own default. An effort of 0 selects the
        // fastest.
        let quality = isLossless ? (effort == 0 ? 0 : 75) : Float(EncodingSource.percentage(quality))
        return firn_webp_options(quality: quality, lossless: isLossless, effort: Int32(clamping: effort))
    }
}
