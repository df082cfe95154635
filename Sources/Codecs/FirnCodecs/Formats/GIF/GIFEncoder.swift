internal import CFirnCodecs
public import FoundationEssentials

/// Encodes GIF, still or animated.
///
/// Frames of at most 256 colors, or 255 beside transparent pixels, are exact. For frames of more colors, a palette is
/// chosen for each frame by splitting the colors where they vary most. Pixels below half alpha become transparent, all
/// others opaque. Only the changed part of a frame is stored. Sides have at most 65,535 pixels. GIF cannot store a
/// profile; colors are assumed to be sRGB.
public struct GIFEncoder: AnimationEncoding {
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
    public var format: ImageFormat { .gif }
    /// The most colors of a frame, the transparent one included.
    public let colors: Int
    /// The dithering method.
    package let dithering: Dithering

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - colors: the most colors of a frame, 2 to 256; values beyond are clamped. Default: 256.
    ///   - isDithered: whether steps between colors are hidden by error diffusion (Floyd and Steinberg). Has no effect
    ///     on frames that keep their colors. Default: true.
    public init(colors: Int = 256, isDithered: Bool = true) {
        self.init(colors: colors, dithering: isDithered ? .diffusion : .none)
    }

    /// Creates an encoder with any kind of dithering.
    package init(colors: Int = 256, dithering: Dithering) {
        self.colors = min(max(colors, 2), 256)
        self.dithering = dithering
    }

    /// Encodes `image` as a whole file. Checks the cancellation flag before it starts.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if a side is too long or there is no memory.
    /// - Source: GIF89a specification.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        try writer.still(image, metadata, cancellation)
    }

    /// Starts an animation. The encoder keeps three canvases in memory.
    public func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageError) -> any AnimationEncodingSession {
        try writer.animation(size, repetitions, isOpaque, nil, cancellation)
    }

    private var writer: LibraryWriter {
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
