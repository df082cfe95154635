public import FirnImage

extension ImageProcessors {
    /// Blurs an image.
    ///
    /// Up to a radius of 3 pixels with a true Gaussian; above with three passes of boxes, whose kernel has the Gaussian's variance
    /// and differs from it by at most 0.54 % of its peak: bytes are within a level of the Gaussian's, and as similar to it as
    /// perfectly rounded ones are. Beyond the edges there is more of the outermost pixels.
    public struct GaussianBlur: ImageProcessing, Hashable {
        /// The Gaussian's standard deviation, in pixels.
        public let radius: Double

        /// The largest radius.
        public static let largestRadius = 1000.0

        /// Blurs images.
        ///
        /// - Parameter radius: the Gaussian's standard deviation, up to 1000 pixels; 0 changes nothing. Default: 8.
        public init(radius: Double = 8, unit: ImageProcessingOptions.Unit = .pixels) {
            self.radius = unit.pixels(radius)
        }

        /// `firn/blur?r=8`.
        public var identifier: String { "firn/blur?r=\(ProcessorName.number(radius))" }

        /// The blurred image.
        ///
        /// - Throws: ``/FirnImage/ImageProcessingError`` if the radius is no number from 0 to 1000, or what it needs to work with (12 MiB, or
        ///   the rows that a large radius reaches) is beyond the limit of bytes; ``/FirnImage/BitmapError``; `CancellationError`.
        public func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer { try change(container, context) }
    }
}

extension ImageProcessors.GaussianBlur: ImageProcessor {
    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        try run.require(radius, 0...Self.largestRadius, "the radius")
        // A Gaussian so narrow gives a neighbor nothing that counts.
        if radius < 0.1 { return image }
        return try run.make(
            from: image, size: image.size, format: image.format, isOpaque: image.isOpaque
        ) { source, target in
            try GaussianBlurring(radius: radius).run(source, isOpaque: image.isOpaque, into: target, run)
        }
    }
}
