package import FirnImage

extension ImageProcessors {
    /// Draws another image over an image: watermarks, badges, masks.
    ///
    /// Only pixels inside the other image's rectangle change, whatever the mode.
    package struct Overlay: ImageProcessing, Hashable {
        /// The image drawn over.
        package let image: Bitmap
        /// Identifies `image`.
        package let id: String
        /// The place of `image`.
        package let anchor: ImageProcessingOptions.Anchor
        /// The distance from the edges that the anchor names, in pixels.
        package let margin: Int
        /// The blend mode.
        package let mode: ImageProcessingOptions.BlendMode
        /// The factor that the alpha of `image` is multiplied by.
        package let opacity: Double

        /// Creates a processor that draws `image` over images.
        ///
        /// - Parameters:
        ///   - id: identifies `image`: results are shared and cached under it.
        ///   - anchor: the place of `image`. Default: the lower right corner.
        ///   - margin: the distance from the edges, in pixels; for an anchor in the middle of a side, from that side.
        ///   - mode: the blend mode. Default: `image` covers what is under it.
        ///   - opacity: from 0 to 1. Default: 1.
        package init(
            _ image: Bitmap, id: String, anchor: ImageProcessingOptions.Anchor = .bottomRight, margin: Int = 0,
            mode: ImageProcessingOptions.BlendMode = .sourceOver, opacity: Double = 1
        ) {
            self.image = image
            self.id = id
            self.anchor = anchor
            self.margin = margin
            self.mode = mode
            self.opacity = opacity
        }

        /// The identifier with all parameters, like `firn/overlay?a=bottomRight,g=8,m=sourceOver,o=0.5,logo`.
        package var identifier: String {
            "firn/overlay?a=\(anchor.rawValue),g=\(margin),m=\(mode.rawValue),o=\(ProcessorName.number(opacity)),\(id)"
        }

        /// Whether both have the same parameters and image identifiers.
        package static func == (a: Overlay, b: Overlay) -> Bool { a.identifier == b.identifier }

        /// Hashes the identifier.
        package func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

        /// Returns the image with the other image over it.
        ///
        /// - Throws: ``/FirnImage/ImageProcessingError`` if the opacity is no number from 0 to 1 or the margin is huge;
        ///   ``/FirnImage/BitmapError``; `CancellationError`.
        package func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer { try change(container, context) }
    }
}

extension ImageProcessors.Overlay: ImageProcessor {
    func processed(_ base: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        try run.require(opacity, 0...1, "the opacity")
        try run.require(Double(margin), -0x1p30...0x1p30, "the margin")
        func start(_ length: Int, _ whole: Int, _ share: Double) -> Int {
            let start = ImageProcessingOptions.Anchor.start(length, in: whole, share)
            return share == 0 ? start + margin : share == 1 ? start - margin : start
        }
        return try base.blended(
            image, left: start(image.size.width, base.size.width, anchor.horizontal),
            top: start(image.size.height, base.size.height, anchor.vertical), mode, opacity: opacity,
            covers: image.isOpaque && opacity == 1, run)
    }
}
