internal import CFirnCodecs
package import FoundationEssentials

/// Encodes AVIF; see ``ImageEncoders/avif(quality:lossless:fullChroma:speed:)``.
package struct AVIFEncoder: LibraryEncoding {
    /// Always ``/FirnImage/ImageFormat/avif``.
    package var format: ImageFormat { .avif }
    /// The quality, from 0 to 1.
    package let quality: Double
    /// True if the pixels are kept exactly.
    package let isLossless: Bool
    /// The chroma subsampling.
    package let chroma: ChromaSubsampling
    /// The speed of the library, from 0 to 10.
    package let speed: Int

    /// Creates an encoder.
    package init(
        quality: Double = 0.6, lossless: Bool = false, chroma: ChromaSubsampling = .automatic, speed: Int = 8
    ) {
        self.quality = quality
        isLossless = lossless
        self.chroma = chroma
        self.speed = min(max(speed, 0), 10)
    }

    /// Returns the writer. Encodes in another process if ``DecoderIsolation/standard`` isolates the format and
    /// `firn-decoder` exists. There, a failed assertion of the library is an error, and cancelling takes effect at
    /// once. In this process, the flag is checked only before the start, because the library offers no callback.
    ///
    /// The library keeps the encoded frames of a sequence in memory. Fails if this build cannot write AVIF.
    /// - Source: AV1 Image File Format 1.1.
    package func writer(isWide: Bool) -> LibraryWriter {
        let options = firn_avif_options(
            // From 63 at a quality of 0 to 0 at 100, as in later versions of libavif.
            quantizer: Int32(clamping: ((100 - EncodingSource.percentage(quality)) * 63 + 50) / 100),
            lossless: isLossless, full_chroma: chroma.isFull(at: quality), speed: Int32(clamping: speed),
            depth: isWide ? (isLossless ? 12 : 10) : 8)
        return LibraryWriter(
            .avif, maximumSide: 65_536, wideFormats: [.rgba16Straight], options,
            worker: (FIRN_CODEC_AVIF, { $1.options.avif = $0 }), firn_animation_avif)
    }

    /// Returns a file with a gain map as a further item, and the derived image of both.
    package func adding(
        _ map: GainMap, to file: Data, of size: PixelSize, _ cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        let encoder = AVIFEncoder(quality: max(quality, GainMap.leastQuality), lossless: isLossless, speed: speed)
        let encoded = try map.encoded(by: encoder, for: size, cancellation)
        return AVIFGainMap.file(file, map: encoded, map.metadata) ?? file
    }
}

/// Encodes JPEG XL; see ``ImageEncoders/jxl(quality:lossless:effort:)``.
package struct JXLEncoder: LibraryEncoding {
    /// Always ``/FirnImage/ImageFormat/jxl``.
    package var format: ImageFormat { .jxl }
    /// The quality, from 0 to 1.
    package let quality: Double
    /// True if the pixels are kept exactly.
    package let isLossless: Bool
    /// The effort of the library, from 1 to 9.
    package let effort: Int

    /// Creates an encoder.
    package init(quality: Double = 0.9, lossless: Bool = false, effort: Int = 4) {
        self.quality = quality
        isLossless = lossless
        self.effort = min(max(effort, 1), 9)
    }

    /// Returns the writer. Encodes in another process if ``DecoderIsolation/standard`` isolates the format and
    /// `firn-decoder` exists. There, a failed assertion of the library is an error, and cancelling takes effect at
    /// once. In this process, the flag is checked only before the start, because the library offers no callback.
    ///
    /// The library keeps one frame that it has not encoded. Fails if this build cannot write JPEG XL.
    /// - Source: ISO/IEC 18181-1.
    package func writer(isWide: Bool) -> LibraryWriter {
        LibraryWriter(
            .jxl, maximumSide: 1 << 18, wideFormats: [.rgba16Straight, .rgbaHalfPremultiplied],
            firn_jxl_options(distance: distance, lossless: isLossless, effort: Int32(clamping: effort)),
            worker: (FIRN_CODEC_JXL, { $1.options.jxl = $0 }), firn_animation_jxl)
    }

    /// Returns a file with a gain map in a box of its own.
    package func adding(
        _ map: GainMap, to file: Data, of size: PixelSize, _ cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        let encoder = JXLEncoder(quality: max(quality, GainMap.leastQuality), lossless: isLossless, effort: effort)
        return JXLGainMap.file(file, map: try map.encoded(by: encoder, for: size, cancellation), map.metadata)
    }

    /// The Butteraugli distance for the quality: 0.1 at 1, 1 at 0.9, and below 0.3 a curve to 25 at 0.
    private var distance: Float {
        let percent = Double(EncodingSource.percentage(quality))
        return Float(
            percent >= 30
                ? 0.1 + (100 - percent) * 0.09 : 53.0 / 3000 * percent * percent - 23.0 / 20 * percent + 25)
    }
}

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
        let source = EncodingSource(
            format: .webp, maximumSide: Self.maximumSide, cancellation: cancellation, metadata: metadata)
        let file = try source.encode(image) { image, encoded in firn_encode_webp(&image, &options, &encoded) }
        return try metadata.added(to: file, of: .webp, size: image.size)
    }

    /// Returns the writer. The library keeps the encoded frames and three canvases of an animation in memory.
    package func writer(isWide: Bool) -> LibraryWriter {
        LibraryWriter(.webp, maximumSide: Self.maximumSide, options, firn_animation_webp)
    }

    private static let maximumSide = 16_383

    private var options: firn_webp_options {
        // For lossless files, the library reads quality as effort: 75 is its own default. An effort of 0 selects the
        // fastest.
        let quality = isLossless ? (effort == 0 ? 0 : 75) : Float(EncodingSource.percentage(quality))
        return firn_webp_options(quality: quality, lossless: isLossless, effort: Int32(clamping: effort))
    }
}

/// Encodes GIF; see ``ImageEncoders/gif(colors:isDithered:)``.
package struct GIFEncoder: LibraryEncoding {
    /// The dithering methods, which hide the steps between the colors of a palette.
    package enum Dithering: String, Hashable, Sendable, CaseIterable {
        /// No dithering: plain areas, small files.
        case none
        /// Error diffusion to the neighboring pixels (Floyd and Steinberg).
        case diffusion
        /// Ordered dithering with a fixed pattern: rougher, but steady in the still parts of an animation.
        case pattern
    }

    /// Always ``/FirnImage/ImageFormat/gif``.
    package var format: ImageFormat { .gif }
    /// The most colors of a frame, the transparent one included.
    package let colors: Int
    /// The dithering method.
    package let dithering: Dithering

    /// Creates an encoder.
    package init(colors: Int = 256, dithering: Dithering = .diffusion) {
        self.colors = min(max(colors, 2), 256)
        self.dithering = dithering
    }

    /// Returns the writer. Checks the cancellation flag before a frame, and keeps three canvases in memory.
    ///
    /// - Source: GIF89a specification.
    package func writer(isWide: Bool) -> LibraryWriter {
        let dithering: Int32 =
            switch dithering {
            case .none: 0
            case .diffusion: 1
            case .pattern: 2
            }
        let options = firn_gif_options(colors: Int32(clamping: colors), dithering: dithering)
        return LibraryWriter(.gif, maximumSide: 65_535, options, firn_animation_gif)
    }
}
