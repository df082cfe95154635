internal import CFirnProcessing

extension ImageProcessors {
    /// Sharpens an image by unsharp masking.
    package struct Sharpen: ImageProcessor, Hashable {
        /// The factor of the added difference between the image and its blurred copy.
        package let amount: Double
        /// The radius of the blurred copy, as in ``GaussianBlur``, in pixels.
        package let radius: Double

        /// The largest amount.
        package static let largestAmount = 10.0

        package init(amount: Double = 0.6, radius: Double = 1, unit: ImageProcessingOptions.Unit = .pixels) {
            self.amount = amount
            self.radius = unit.pixels(radius)
        }

        /// The identifier, like `firn/sharpen?a=0.6,r=1`.
        package var identifier: String {
            "firn/sharpen?a=\(ProcessorName.number(amount)),r=\(ProcessorName.number(radius))"
        }

        /// Returns the sharpened image. Alpha is unchanged, and transparent neighbors do not affect colors.
        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            try run.require(amount, 0...Self.largestAmount, "the amount")
            try run.require(radius, 0...ImageProcessors.GaussianBlur.largestRadius, "the radius")
            if amount == 0 || radius < 0.1 { return image }
            return try run.make(like: image) { source, target in
                try GaussianBlurring(radius: radius).run(source, isOpaque: image.isOpaque, into: target, run)
                try sharpen(source, isOpaque: image.isOpaque, by: target, run)
            }
        }

        /// - Parameter target: holds the blurred rows; on return it holds the result.
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
                                floats, floats + 4 * width, width, amount,
                                source.format == .rgbaHalfPremultiplied ? 0 : 1)
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
}
