internal import CFirnCodecs
public import FirnImage
public import FoundationEssentials

/// Writes AVIF, lossy or lossless, still or as a sequence, with alpha where the image has it, through libavif.
///
/// Sides of at most 65,536 pixels. sRGB is told by code points, anything else by the embedded profile. Images of more
/// than 8 bits are stored with 10, or 12 where lossless. A sequence has no number of plays: libavif 0.11 writes none. A frame without a duration is shown for 100 ms, as viewers do in other formats.
public struct AVIFEncoder: AnimationEncoding {
    /// Always ``/FirnImage/ImageFormat/avif``.
    public var format: ImageFormat { .avif }
    /// How much is kept, from 0 to 1.
    public let quality: Double
    /// Whether every byte is kept.
    public let isLossless: Bool
    /// For how many pixels a color is stored.
    public let chroma: JPEGEncoder.Chroma
    /// How quick the library is, from 0 to 10.
    public let speed: Int

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, from the coarsest to the finest of AV1's 64 steps; values beyond are cut; without effect where
    ///     lossless. Default: 0.6, as libavif's own since version 1. Alpha is kept exactly.
    ///   - lossless: whether every byte of an image of 8 bits is kept; of more, what 12 bits hold.
    ///   - chroma: for how many pixels a color is stored; `automatic` is for each from a quality of 0.9 on.
    ///   - speed: 0 to 10, libavif's scale; values beyond are cut. Default: 8: at 6, which is libavif's own,
    ///     photographs lose a tenth less (1 − SSIM), are 2 % smaller, and take three times as long.
    public init(
        quality: Double = 0.6, lossless: Bool = false, chroma: JPEGEncoder.Chroma = .automatic, speed: Int = 8
    ) {
        self.quality = quality
        isLossless = lossless
        self.chroma = chroma
        self.speed = min(max(speed, 0), 10)
    }

    /// Encodes `image` as a whole file; the flag is looked at before, since the library asks nobody meanwhile.
    ///
    /// - Throws: ``/FirnImage/ImageEncodingError`` if a side is too long, there is no memory, or this build cannot write AVIF.
    /// - Source: AV1 Image File Format 1.1.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> Data {
        try writer(cancellation, metadata, isWide: image.format.isWide).still(image)
    }

    /// Starts a sequence of 8 bits. The library keeps the encoded frames.
    public func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> any AnimationEncodingSession {
        try writer(cancellation).animation(
            size: size, repetitions: repetitions, isOpaque: isOpaque, colorProfile: colorProfile)
    }

    private func writer(
        _ cancellation: CancellationFlag, _ metadata: EncodingMetadata = EncodingMetadata(), isWide: Bool = false
    ) -> LibraryWriter {
        let options = options(isWide: isWide)
        let source = EncodingSource(
            format: .avif, maximumSide: 65_536, wideFormats: [.rgba16Straight], cancellation: cancellation,
            metadata: metadata)
        return LibraryWriter(source: source) { canvas, encoded in
            withUnsafePointer(to: options) { firn_animation_avif(canvas, $0, encoded) }
        }
    }

    private func options(isWide: Bool) -> firn_avif_options {
        var options = firn_avif_options()
        // From 63 for 0 to 0 for 100, as later versions of libavif have it.
        options.quantizer = Int32(((100 - EncodingSource.percentage(quality)) * 63 + 50) / 100)
        options.lossless = isLossless
        options.full_chroma = chroma == .full || (chroma == .automatic && quality >= 0.9)
        options.speed = Int32(speed)
        options.depth = isWide ? (isLossless ? 12 : 10) : 8
        return options
    }
}
