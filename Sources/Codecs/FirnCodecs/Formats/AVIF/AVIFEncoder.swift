internal import CFirnCodecs
public import FoundationEssentials

/// Encodes AVIF with libavif: lossy or lossless, as a still or a sequence, with alpha if the image has it.
///
/// Sides have at most 65,536 pixels. Code points describe sRGB; an embedded profile describes any other color space.
/// Images of more than 8 bits are stored with 10, or 12 if lossless. A sequence has no number of plays, because libavif
/// 0.11 writes none. A frame without a duration is shown for 100 ms, as viewers do in other formats.
public struct AVIFEncoder: AnimationEncoding {
    /// Always ``/FirnImage/ImageFormat/avif``.
    public var format: ImageFormat { .avif }
    /// The quality, from 0 to 1.
    public let quality: Double
    /// True if the pixels are kept exactly.
    public let isLossless: Bool
    /// The chroma subsampling.
    public let chroma: ChromaSubsampling
    /// The speed of the library, from 0 to 10.
    public let speed: Int

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, from the coarsest to the finest of AV1's 64 steps. Values beyond are clamped. Has no effect
    ///     if `lossless` is set. Default: 0.6, libavif's own default since version 1. Alpha is kept exactly.
    ///   - lossless: whether an image of 8 bits is kept exactly; of a deeper image, 12 bits are kept.
    ///   - chroma: the chroma subsampling. Default: none from a quality of 0.9 on.
    ///   - speed: 0 to 10, libavif's scale. Values beyond are clamped. Default: 8. At 6, which is libavif's own
    ///     default, photographs lose a tenth less (1 − SSIM), are 2 % smaller, and take three times as long. A sequence
    ///     is written at 6 in place of 7, at which libaom 3.6 fails on alpha.
    public init(
        quality: Double = 0.6, lossless: Bool = false, chroma: ChromaSubsampling = .automatic, speed: Int = 8
    ) {
        self.quality = quality
        isLossless = lossless
        self.chroma = chroma
        self.speed = min(max(speed, 0), 10)
    }

    /// Encodes `image` as a whole file, in another process if ``DecoderIsolation/standard`` isolates the format and
    /// `firn-decoder` exists. There, a failed assertion of the library is an error, and cancelling takes effect at
    /// once. In this process, the flag is checked only before the start, because the library offers no callback.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if a side is too long, there is no memory, or this build cannot
    ///   write AVIF.
    /// - Source: AV1 Image File Format 1.1.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        try writer(isWide: image.format.isWide).still(image, metadata, cancellation)
    }

    /// Starts a sequence of 8 bits per sample. The library keeps the encoded frames in memory.
    public func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageError) -> any AnimationEncodingSession {
        try writer(isWide: false).animation(size, repetitions, isOpaque, colorProfile, cancellation)
    }

    private func writer(isWide: Bool) -> LibraryWriter {
        let options = firn_avif_options(
            // From 63 at a quality of 0 to 0 at 100, as in later versions of libavif.
            quantizer: Int32(clamping: ((100 - EncodingSource.percentage(quality)) * 63 + 50) / 100),
            lossless: isLossless, full_chroma: chroma.isFull(at: quality), speed: Int32(clamping: speed),
            depth: isWide ? (isLossless ? 12 : 10) : 8)
        return LibraryWriter(
            .avif, maximumSide: 65_536, wideFormats: [.rgba16Straight], options,
            worker: (FIRN_CODEC_AVIF, { $1.options.avif = $0 }), firn_animation_avif)
    }
}
