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
