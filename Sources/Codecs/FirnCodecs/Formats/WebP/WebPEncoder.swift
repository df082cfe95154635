internal import CFirnCodecs
public import FoundationEssentials

/// Encodes WebP with libwebp: lossy or lossless, still or animated, with alpha if the image has it.
///
/// Sides have at most 16,383 pixels. A profile other than sRGB is embedded. Images of more than 8 bits are rounded to
/// 8. Only the changed part of an animation's frame is stored; a frame equal to the one before is merged with it.
public struct WebPEncoder: AnimationEncoding {
    /// Always ``/FirnImage/ImageFormat/webp``.
    public var format: ImageFormat { .webp }
    /// The quality, from 0 to 1.
    public let quality: Double
    /// True if the pixels are kept exactly.
    public let isLossless: Bool
    /// The effort of the library, from 0 to 6.
    public let effort: Int

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, a hundredth of libwebp's scale. Values beyond are clamped. Has no effect if `lossless` is
    ///     set. Default: 0.8, a little above libwebp's own default; photographs take about half the bytes of
    ///     ``JPEGEncoder``'s default. Alpha is kept exactly.
    ///   - lossless: whether all pixels are kept exactly, including the colors of a still's invisible ones.
    ///   - effort: 0 to 6, libwebp's `method`. Values beyond are clamped. Default: 4, libwebp's own default.
    public init(quality: Double = 0.8, lossless: Bool = false, effort: Int = 4) {
        self.quality = quality
        isLossless = lossless
        self.effort = min(max(effort, 0), 6)
    }

    /// Encodes `image` as a whole file. Checks the cancellation flag whenever the library reports progress.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if a side is too long, the image has more detail than the format's
    ///   partitions hold, or there is no memory.
    /// - Source: RFC 9649.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        var options = options
        return try writer.source(cancellation, metadata).encode(image) { image, encoded in
            firn_encode_webp(&image, &options, &encoded)
        }
    }

    /// Starts an animation. The library keeps the encoded frames and three canvases in memory.
    public func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageError) -> any AnimationEncodingSession {
        try writer.animation(size, repetitions, isOpaque, colorProfile, cancellation)
    }

    private var writer: LibraryWriter {
        LibraryWriter(.webp, maximumSide: 16_383, options, firn_animation_webp)
    }

    private var options: firn_webp_options {
        // For lossless files, the library reads quality as effort: 75 is its own default. An effort of 0 selects the
        // fastest.
        let quality = isLossless ? (effort == 0 ? 0 : 75) : Float(EncodingSource.percentage(quality))
        return firn_webp_options(quality: quality, lossless: isLossless, effort: Int32(clamping: effort))
    }
}
