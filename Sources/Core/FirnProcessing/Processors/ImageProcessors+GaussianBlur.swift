extension ImageProcessors {
    /// Blurs an image with a Gaussian.
    ///
    /// A radius of up to 3 pixels uses the exact Gaussian. A larger radius uses three passes of box filters, whose
    /// kernel has the Gaussian's variance and differs from it by at most 0.54 % of its peak: bytes are within one level
    /// of the exact result. The outermost pixels repeat beyond the edges.
    package struct GaussianBlur: ImageProcessor, Hashable {
        /// The Gaussian's standard deviation, in pixels.
        package let radius: Double

        /// The largest radius, in pixels.
        package static let largestRadius = 1000.0

        package init(radius: Double = 8, unit: ImageProcessingOptions.Unit = .pixels) {
            self.radius = unit.pixels(radius)
        }

        /// The identifier, like `firn/blur?r=8`.
        package var identifier: String { "firn/blur?r=\(ProcessorName.number(radius))" }

        /// Returns the blurred image. Uses 12 MiB of working memory, or more for a large radius.
        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            try run.require(radius, 0...Self.largestRadius, "the radius")
            // A Gaussian this narrow gives neighbors no visible weight.
            if radius < 0.1 { return image }
            return try run.make(like: image) { source, target in
                try GaussianBlurring(radius: radius).run(source, isOpaque: image.isOpaque, into: target, run)
            }
        }
    }
}
