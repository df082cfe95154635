internal import CFirnProcessing

extension ImageProcessors.ColorMatrix {
    /// Applies the matrix to all pixels of an image.
    func change(_ source: SourceRows, into target: TargetRows, _ run: ProcessingRun) throws {
        let width = source.size.width
        // Weights have 12 fraction bits, so the largest fits into 16 bits.
        let fits = rows.joined().allSatisfy { abs($0) < 7.99 }
        if fits, !source.format.isWide {
            let matrix = fixed(for: source.format)
            try run.stripes(source.size.height, pixels: width) { rows in
                var matrix = matrix
                for y in rows {
                    let from = source.row(y).assumingMemoryBound(to: UInt8.self)
                    let to = target.row(y).assumingMemoryBound(to: UInt8.self)
                    if source.format == .rgb8 {
                        firn_color_matrix_row24(&matrix, from, to, width)
                    } else {
                        firn_color_matrix_row8(&matrix, from, to, width)
                    }
                }
            }
            return
        }
        let isLight = source.format == .rgbaHalfPremultiplied
        let numbers = rows.joined().map { Float($0) }
        try run.stripes(source.size.height, pixels: width * (isLight ? 64 : 8)) { rows in
            FloatRow.with(4 * width) { floats in
                for y in rows {
                    source.load(y, count: width, into: floats)
                    if isLight { ExtendedLight.change(floats, count: width, LinearLight.encode) }
                    numbers.withUnsafeBufferPointer { numbers in
                        guard let start = numbers.baseAddress else { return }
                        start.withMemoryRebound(to: (Float, Float, Float, Float).self, capacity: 3) {
                            firn_color_matrix_floats($0, floats, width, isLight ? 0 : 1)
                        }
                    }
                    if isLight { ExtendedLight.change(floats, count: width, LinearLight.decode) }
                    target.store(floats, y, count: width)
                }
            }
        }
    }

    private func fixed(for format: PixelFormat) -> firn_color_matrix8 {
        let isBlueFirst = format == .bgra8Premultiplied
        let order = isBlueFirst ? [2, 1, 0] : [0, 1, 2]
        func row(_ index: Int) -> (Int16, Int16, Int16, Int16) {
            let row = rows[order[index]]
            func fixed(_ weight: Double) -> Int16 { Int16(clamping: Int((weight * 4096).rounded())) }
            return (fixed(row[order[0]]), fixed(row[order[1]]), fixed(row[order[2]]), fixed(row[3]))
        }
        return firn_color_matrix8(rows: (row(0), row(1), row(2)), isStraight: isBlueFirst ? 0 : 1)
    }
}

/// Rows of linear light with values outside 0...1.
enum ExtendedLight {
    /// Encodes or decodes `count` pixels with a curve that is extended beyond 1 and mirrored below 0.
    static func change(_ floats: UnsafeMutablePointer<Float>, count: Int, _ curve: (Double) -> Double) {
        for x in 0..<count {
            let alpha = floats[4 * x + 3]
            guard alpha > 0 else { continue }
            for channel in 0..<3 {
                let value = Double(floats[4 * x + channel] / alpha)
                let magnitude = curve(abs(value))
                floats[4 * x + channel] = Float(value < 0 ? -magnitude : magnitude) * alpha
            }
        }
    }
}
