public import FirnImage

extension ImageProcessors {
    /// Lays another image over an image: watermarks, badges, masks.
    ///
    /// Only where the other image is; what is outside of its rectangle stays, whatever the mode.
    public struct Overlay: ImageProcessing, Hashable {
        /// The image laid over.
        public let image: Bitmap
        /// Names it.
        public let id: String
        /// Where it is.
        public let anchor: ImageProcessingOptions.Anchor
        /// How far it is from the edges that the anchor names, in pixels.
        public let margin: Int
        /// How it is mixed in.
        public let mode: ImageProcessingOptions.BlendMode
        /// What its alpha is multiplied by.
        public let opacity: Double

        /// Lays `image` over images.
        ///
        /// - Parameters:
        ///   - id: names `image`: results are shared and cached under it.
        ///   - anchor: where it is. Default: in the lower right corner.
        ///   - margin: how far from the edges, in pixels; at an anchor in the middle of a side, from that side.
        ///   - mode: how it is mixed in. Default: it covers what is under it.
        ///   - opacity: from 0 to 1, which is the default.
        public init(
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

        /// All parameters, like `firn/overlay?a=bottomRight,g=8,m=sourceOver,o=0.5,logo`.
        public var identifier: String {
            "firn/overlay?a=\(anchor.rawValue),g=\(margin),m=\(mode.rawValue),o=\(ProcessorName.number(opacity)),\(id)"
        }

        /// Whether both have the same parameters and image names.
        public static func == (a: Overlay, b: Overlay) -> Bool { a.identifier == b.identifier }

        /// Feeds the identifier.
        public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

        /// The image with the other one over it.
        ///
        /// - Throws: ``/FirnImage/ImageProcessingError`` if the opacity is no number from 0 to 1 or the margin is huge;
        ///   ``/FirnImage/BitmapError``; `CancellationError`.
        public func process(
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
