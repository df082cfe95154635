internal import CFirnCodecs

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
