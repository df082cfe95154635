internal import CFirnCodecs
public import FirnImage
public import FoundationEssentials

/// Writes GIF, still or animated.
///
/// Exact for frames of at most 256 colors, or 255 beside transparent pixels; of more, the palette is chosen for each frame
/// by splitting the colors where they vary most. Pixels are transparent below half an alpha, else opaque. Of a frame only
/// what changed is stored. Sides of at most 65,535 pixels. A profile cannot be stored; colors are taken to be sRGB.
public struct GIFEncoder: AnimationEncoding {
    /// How the steps between the colors of a palette are hidden.
    public enum Dithering: String, Hashable, Sendable, CaseIterable {
        /// Not at all: plain areas, small files.
        case none
        /// Errors are handed on to the neighbors (Floyd and Steinberg).
        case diffusion
        /// By a fixed pattern: rougher, but still where the image is still.
        case pattern
    }

    /// Always ``/FirnImage/ImageFormat/gif``.
    public var format: ImageFormat { .gif }
    /// Most colors of a frame, the transparent one included.
    public let colors: Int
    /// How the steps between colors are hidden.
    public let dithering: Dithering

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - colors: 2 to 256; values beyond are cut. Default: 256.
    ///   - dithering: without effect on frames that keep their colors. Default: diffusion.
    public init(colors: Int = 256, dithering: Dithering = .diffusion) {
        self.colors = min(max(colors, 2), 256)
        self.dithering = dithering
    }

    /// Encodes `image` as a whole file; the flag is looked at before.
    ///
    /// - Throws: ``/FirnImage/ImageEncodingError`` if a side is too long or there is no memory.
    /// - Source: GIF89a specification.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> Data {
        try writer(cancellation, metadata).still(image)
    }

    /// Starts an animation. Three canvases are kept.
    public func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> any AnimationEncodingSession {
        try writer(cancellation).animation(
            size: size, repetitions: repetitions, isOpaque: isOpaque, colorProfile: nil)
    }

    private func writer(
        _ cancellation: CancellationFlag, _ metadata: EncodingMetadata = EncodingMetadata()
    ) -> LibraryWriter {
        let options = options
        let source = EncodingSource(format: .gif, maximumSide: 65_535, cancellation: cancellation, metadata: metadata)
        return LibraryWriter(source: source) { canvas, encoded in
            withUnsafePointer(to: options) { firn_animation_gif(canvas, $0, encoded) }
        }
    }

    private var options: firn_gif_options {
        let dithering: Int32 =
            switch dithering {
            case .none: 0
            case .diffusion: 1
            case .pattern: 2
            }
        return firn_gif_options(colors: Int32(colors), dithering: dithering)
    }
}
