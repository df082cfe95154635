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

    /// Turns an image into squares of one color each, the mean of their pixels.
    ///
    /// Squares start in the upper left corner. Squares that extend beyond the right or lower edge average the mirrored
    /// image there.
    package struct Pixelate: ImageProcessor, Hashable {
        /// The side of a square in pixels.
        package let side: Int
        /// The maximum side.
        package static let longestSide = 65_535

        package init(side: Int) { self.side = side }

        /// The identifier, like `firn/pixelate?s=8`.
        package var identifier: String { "firn/pixelate?s=\(side)" }

        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            try run.require(Double(side), 1...Double(Self.longestSide), "the side")
            if side == 1 { return image }
            let size = image.size
            let columns = cells(size.width)
            let rows = cells(size.height)
            return try run.make(like: image) { source, target in
                try run.stripes(rows.count, pixels: size.width * min(side, size.height)) { stripe in
                    FloatRow.with(4 * size.width) { floats in
                        for cell in stripe { fill(rows[cell], cell * side, columns, source, target, floats) }
                    }
                }
            }
        }

        /// A pixel of a cell and its count.
        private typealias Weight = (index: Int, count: Double)

        /// Returns the pixels of each cell along a side; the last cell is mirrored at the edge.
        private func cells(_ length: Int) -> [[Weight]] {
            stride(from: 0, to: length, by: side).map { start in
                if start + side <= length { return (start..<start + side).map { ($0, 1) } }
                var counts: [Int: Int] = [:]
                for place in start..<start + side {
                    let turn = place % (2 * length)
                    counts[turn < length ? turn : 2 * length - 1 - turn, default: 0] += 1
                }
                return counts.sorted { $0.key < $1.key }.map { ($0.key, Double($0.value)) }
            }
        }

        /// Writes the rows of one row of cells, which starts at row `top`.
        private func fill(
            _ rows: [Weight], _ top: Int, _ columns: [[Weight]], _ source: SourceRows, _ target: TargetRows,
            _ floats: UnsafeMutablePointer<Float>
        ) {
            let width = source.size.width
            var sums = [SIMD4<Double>](repeating: .zero, count: columns.count)
            for row in rows {
                source.load(row.index, count: width, into: floats)
                for (cell, pixels) in columns.enumerated() {
                    var sum = SIMD4<Double>.zero
                    for pixel in pixels {
                        let color = UnsafeRawPointer(floats + 4 * pixel.index).loadUnaligned(as: SIMD4<Float>.self)
                        sum += SIMD4<Double>(color) * pixel.count
                    }
                    sums[cell] += sum * row.count
                }
            }
            let area = Double(side) * Double(side)
            for (cell, sum) in sums.enumerated() {
                let mean = SIMD4<Float>(sum / area)
                for x in cell * side..<min(width, (cell + 1) * side) {
                    for channel in 0..<4 { floats[4 * x + channel] = mean[channel] }
                }
            }
            let bottom = min(source.size.height, top + side)
            target.store(floats, top, count: width)
            for y in top + 1..<max(top + 1, bottom) {
                target.row(y).copyMemory(from: target.row(top), byteCount: width * target.format.bytesPerPixel)
            }
        }
    }
}
