internal import CFirnProcessing
public import FirnImage

extension ImageProcessors {
    /// Strengthens what differs from its surroundings: unsharp masking.
    public struct Sharpen: ImageProcessing, Hashable {
        /// How much of the difference between an image and its blurred copy is added to it.
        public let amount: Double
        /// The copy's radius, as ``GaussianBlur`` counts it, in pixels.
        public let radius: Double

        /// The largest amount.
        public static let largestAmount = 10.0

        /// Sharpens images.
        ///
        /// - Parameters:
        ///   - amount: from 0, which changes nothing, to 10. Default: 0.6.
        ///   - radius: how wide the surroundings are, from 0 to 1000 pixels. Default: 1, for images that were made smaller.
        public init(amount: Double = 0.6, radius: Double = 1, unit: ImageProcessingOptions.Unit = .pixels) {
            self.amount = amount
            self.radius = unit.pixels(radius)
        }

        /// `firn/sharpen?a=0.6,r=1`.
        public var identifier: String {
            "firn/sharpen?a=\(ProcessorName.number(amount)),r=\(ProcessorName.number(radius))"
        }

        /// The sharpened image; alpha stays as it is.
        ///
        /// - Throws: ``/FirnImage/ImageProcessingError`` if a parameter is out of its range; ``/FirnImage/BitmapError``; `CancellationError`.
        public func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer { try change(container, context) }
    }
}

extension ImageProcessors.Sharpen: ImageProcessor {
    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        try run.require(amount, 0...Self.largestAmount, "the amount")
        try run.require(radius, 0...ImageProcessors.GaussianBlur.largestRadius, "the radius")
        if amount == 0 || radius < 0.1 { return image }
        return try run.make(
            from: image, size: image.size, format: image.format, isOpaque: image.isOpaque
        ) { source, target in
            try GaussianBlurring(radius: radius).run(source, isOpaque: image.isOpaque, into: target, run)
            try sharpen(source, isOpaque: image.isOpaque, by: target, run)
        }
    }

    /// - Parameter target: holds the blurred rows, and then the result.
    private func sharpen(_ source: SourceRows, isOpaque: Bool, by target: TargetRows, _ run: ProcessingRun) throws {
        let (width, amount) = (source.size.width, Float(amount))
        let isBytes = source.format.mixesAsBytes(isOpaque: isOpaque)
        try run.stripes(source.size.height, pixels: width * 2) { rows in
            FloatRow.with(isBytes ? 0 : 8 * width) { floats in
                for y in rows {
                    let row = source.row(y).assumingMemoryBound(to: UInt8.self)
                    let soft = target.row(y).assumingMemoryBound(to: UInt8.self)
                    if !isBytes {
                        source.load(y, count: width, into: floats)
                        target.source.load(y, count: width, into: floats + 4 * width)
                        firn_sharpen_floats(
                            floats, floats + 4 * width, width, amount, source.format == .rgbaHalfPremultiplied ? 0 : 1)
                        target.store(floats + 4 * width, y, count: width)
                    } else if source.format == .rgb8 {
                        firn_sharpen_bytes(row, soft, 3 * width, amount)
                    } else {
                        firn_sharpen_row8(row, soft, width, amount, source.format == .bgra8Premultiplied ? 1 : 0)
                    }
                }
            }
        }
    }
}
