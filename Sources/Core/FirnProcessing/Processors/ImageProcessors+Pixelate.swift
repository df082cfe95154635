extension ImageProcessors {
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
