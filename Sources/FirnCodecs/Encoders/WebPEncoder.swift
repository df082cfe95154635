internal import CFirnCodecs
public import FirnImage
public import FoundationEssentials

/// Writes WebP, lossy or lossless, still or animated, with alpha where the image has it, through libwebp.
///
/// Sides of at most 16,383 pixels. A profile other than sRGB is embedded. Images of more than 8 bits are
/// rounded to 8. Of an animation only what changed is stored; frames that equal the one before are joined with it.
public struct WebPEncoder: AnimationEncoding {
    /// Always ``/FirnImage/ImageFormat/webp``.
    public var format: ImageFormat { .webp }
    /// How much is kept, from 0 to 1.
    public let quality: Double
    /// Whether every byte is kept.
    public let isLossless: Bool
    /// How hard the library tries, from 0 to 6.
    public let effort: Int

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, a hundredth of libwebp's scale; values beyond are cut; without effect where lossless.
    ///     Default: 0.8, a little above libwebp's own, where photographs take about half the bytes of
    ///     ``JPEGEncoder``'s default. Alpha is kept exactly.
    ///   - lossless: whether every byte is kept, those of a still's invisible pixels too.
    ///   - effort: 0 to 6, libwebp's `method`; values beyond are cut. Default: 4, as libwebp's.
    public init(quality: Double = 0.8, lossless: Bool = false, effort: Int = 4) {
        self.quality = quality
        isLossless = lossless
        self.effort = min(max(effort, 0), 6)
    }

    /// Encodes `image` as a whole file; the flag is looked at as the library goes from part to part.
    ///
    /// - Throws: ``/FirnImage/ImageEncodingError`` if a side is too long, the image has more detail than the format's partitions
    ///   hold, or there is no memory.
    /// - Source: RFC 9649.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> Data {
        var options = options
        return try writer(cancellation, metadata).source.encode(image) { image, encoded in
            firn_encode_webp(&image, &options, &encoded)
        }
    }

    /// Starts an animation. The library keeps the encoded frames and three canvases.
    public func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> any AnimationEncodingSession {
        try writer(cancellation).animation(
            size: size, repetitions: repetitions, isOpaque: isOpaque, colorProfile: colorProfile)
    }

    private func writer(
        _ cancellation: CancellationFlag, _ metadata: EncodingMetadata = EncodingMetadata()
    ) -> LibraryWriter {
        let options = options
        let source = EncodingSource(format: .webp, maximumSide: 16_383, cancellation: cancellation, metadata: metadata)
        return LibraryWriter(source: source) { canvas, encoded in
            withUnsafePointer(to: options) { firn_animation_webp(canvas, $0, encoded) }
        }
    }

    private var options: firn_webp_options {
        // Where lossless, the library reads quality as effort: 75 is its own default. Without effort it is to be quick.
        let quality = isLossless ? (effort == 0 ? 0 : 75) : Float(EncodingSource.percentage(quality))
        return firn_webp_options(quality: quality, lossless: isLossless, effort: Int32(effort))
    }
}
