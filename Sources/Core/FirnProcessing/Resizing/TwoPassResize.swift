/// Runs both passes row by row: the original rows of a window become one row of sums, and these a new row.
///
/// Order: vertical first. This pass works on rows of bytes, regardless of their meaning, and needs no intermediate
/// image.
struct TwoPassResize {
    let horizontal: FilterWindows
    let vertical: FilterWindows

    /// Mixes all rows of `source` into those of `target`.
    func run(_ source: SourceRows, isOpaque: Bool, into target: TargetRows, _ run: ProcessingRun) throws {
        switch source.format {
        case .rgba16Straight, .rgbaHalfPremultiplied: try runWeighted(source, target, run)
        case .rgba8Straight where !isOpaque: try runWeighted(source, target, run)
        case .rgba8Straight, .bgra8Premultiplied, .rgb8: try runBytes(source, target, run)
        }
    }

    private func runBytes(_ source: SourceRows, _ target: TargetRows, _ run: ProcessingRun) throws {
        let mixing = VerticalPass(vertical)
        let writing = HorizontalPass(horizontal, scale: 1 / Float(1 << mixing.fractionBits))
        let channels = source.format.bytesPerPixel
        let count = source.size.width * channels
        try forEachRow(of: target, from: source, count: count, run) { y, sums, pixels in
            mixing.mix(y, from: source.base, bytesPerRow: source.bytesPerRow, count: count, into: sums)
            writing.writeBytes(sums, channels: channels, by: pixels, to: target.row(y))
        }
    }

    private func runWeighted(_ source: SourceRows, _ target: TargetRows, _ run: ProcessingRun) throws {
        let mixing = WeightedVerticalPass(vertical, format: source.format)
        let writing = HorizontalPass(horizontal, scale: 1)
        let width = source.size.width
        try forEachRow(of: target, from: source, count: 4 * width, run) { y, sums, _ in
            mixing.mix(y, from: source.base, bytesPerRow: source.bytesPerRow, width: width, into: sums)
            let row = target.row(y)
            switch source.format {
            case .rgbaHalfPremultiplied: writing.writeHalves(sums, to: row)
            case .rgba16Straight: writing.writeStraight(UInt16.self, sums, to: row)
            case .rgba8Straight, .bgra8Premultiplied, .rgb8: writing.writeStraight(UInt8.self, sums, to: row)
            }
        }
    }

    /// - Parameter body: receives a row's number, a buffer for its sums, and a buffer for its pixels as floats.
    private func forEachRow(
        of target: TargetRows, from source: SourceRows, count: Int, _ run: ProcessingRun,
        _ body: @Sendable (Int, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) -> Void
    ) throws {
        // About twenty sums take as long as a pixel of the simplest work. A stripe has at least 16 rows, because each
        // stripe allocates its own rows of floats, and large allocations cost page faults.
        let cost = (vertical.taps * count / 4 + horizontal.taps * target.size.width) / 40
        let new = target.size.width * 4
        // Each part starts at a multiple of 16 floats and has one extra sum, because 3-byte pixels are read four bytes
        // at a time.
        let room = (count + 1 + 15) & ~15
        try run.stripes(target.size.height, pixels: cost, multiple: 16) { rows in
            FloatRow.with(room + new) { floats in
                for index in count..<room { floats[index] = 0 }
                for y in rows { body(y, floats, floats + room) }
            }
        }
    }
}
