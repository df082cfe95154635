internal import CFirnCodecs
public import FoundationEssentials

/// Encodes JPEG XL with libjxl: lossy or lossless, still or animated, with alpha if the image has it.
///
/// Sides have at most 262,144 pixels. sRGB and linear light are stored by name; an embedded profile describes any other
/// color space. Images of 16 bits and half floats keep their depth.
public struct JXLEncoder: AnimationEncoding {
    /// Always ``/FirnImage/ImageFormat/jxl``.
    public var format: ImageFormat { .jxl }
    /// The quality, from 0 to 1.
    public let quality: Double
    /// True if the pixels are kept exactly.
    public let isLossless: Bool
    /// The effort of the library, from 1 to 9.
    public let effort: Int

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, a hundredth of the scale of libjxl's command, which is modeled on JPEG's. Values beyond are
    ///     clamped. Has no effect if `lossless` is set. Default: 0.9, where differences start to be visible.
    ///   - lossless: whether all pixels are kept exactly, including the colors of invisible ones.
    ///   - effort: 1 to 9, libjxl's scale. Values beyond are clamped. Lossless files have at least 2 with libjxl 0.8
    ///     and later, whose effort 1 is not always exact. Default: 4. At 7, libjxl's own default, photographs are 3 %
    ///     larger, lose a third less (1 − SSIM), and take six times as long.
    public init(quality: Double = 0.9, lossless: Bool = false, effort: Int = 4) {
        self.quality = quality
        isLossless = lossless
        self.effort = min(max(effort, 1), 9)
    }

    /// Encodes `image` as a whole file, in another process if ``DecoderIsolation/standard`` isolates the format and
    /// `firn-decoder` exists. There, a failed assertion of the library is an error, and cancelling takes effect at
    /// once. In this process, the flag is checked only before the start, because the library offers no callback.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if a side is too long, there is no memory, or this build cannot
    ///   write JPEG XL.
    /// - Source: ISO/IEC 18181-1.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        try writer.still(image, metadata, cancellation)
    }

    /// Starts an animation. The library keeps one frame that it has not encoded.
    public func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageError) -> any AnimationEncodingSession {
        try writer.animation(size, repetitions, isOpaque, colorProfile, cancellation)
    }

    private var writer: LibraryWriter {
        LibraryWriter(
            .jxl, maximumSide: 1 << 18, wideFormats: [.rgba16Straight, .rgbaHalfPremultiplied],
            firn_jxl_options(distance: distance, lossless: isLossless, effort: Int32(clamping: effort)),
            worker: (FIRN_CODEC_JXL, { $1.options.jxl = $0 }), firn_animation_jxl)
    }

    /// The Butteraugli distance for the quality: 0.1 at 1, 1 at 0.9, and below 0.3 a curve to 25 at 0.
    private var distance: Float {
        let percent = Double(EncodingSource.percentage(quality))
        return Float(
            percent >= 30
                ? 0.1 + (100 - percent) * 0.09 : 53.0 / 3000 * percent * percent - 23.0 / 20 * percent + 25)
    }
}
