public import FirnImage

extension ImageProcessors {
    /// Mixes an image with one color.
    public struct Blend: ImageProcessing, Hashable {
        /// The color, which is the upper image.
        public let color: SRGBColor
        /// How it is mixed in.
        public let mode: ImageProcessingOptions.BlendMode

        /// Mixes images with `color`. Default: it is laid over them, as far as it is opaque.
        public init(color: SRGBColor, mode: ImageProcessingOptions.BlendMode = .sourceOver) {
            self.color = color
            self.mode = mode
        }

        /// `firn/blend?#FF000080,sourceOver`.
        public var identifier: String { "firn/blend?\(color),\(mode.rawValue)" }

        /// The mixture.
        ///
        /// - Throws: ``/FirnImage/BitmapError`` if there is no memory; `CancellationError`.
        public func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer { try change(container, context) }
    }
}

extension ImageProcessors.Blend: ImageProcessor {
    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        let format = image.format == .rgb8 ? .bgra8Premultiplied : image.format
        let pixel = color.pixel(for: format)
        let isOpaque = color.alpha == 255
        // One row, which is read again for every row of the image.
        let row = try Bitmap(
            size: PixelSize(width: image.size.width, height: 1), format: format, isOpaque: isOpaque
        ) { pixels in
            PixelWord.fill(pixels.row(0), with: pixel, count: pixels.size.width)
        }
        return try image.blended(
            row, left: 0, top: 0, mode, opacity: 1, covers: isOpaque, isOneRow: true, run)
    }
}
