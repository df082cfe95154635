internal import CFirnCodecs
package import FoundationEssentials

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
