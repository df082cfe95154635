internal import FirnImage

/// Both passes, row by row: the window's rows of the original become one row of sums, and that becomes a new row.
///
/// Order: vertical first. It works on whole rows of bytes whatever they mean, and needs no picture in between.
struct TwoPassResize {
    let horizontal: FilterWindows
    let vertical: FilterWindows

    func run(
        _ base: UnsafeRawPointer, of source: Bitmap, into pixels: inout MutablePixels, _ cancellation: CancellationFlag?
    ) throws {
        let mixing = VerticalPass(vertical)
        let writing = HorizontalPass(horizontal, scale: 1 / Float(1 << mixing.fractionBits))
        let count = source.size.width * source.format.bytesPerPixel
        try forEachRow(of: pixels.size.height, count: count, cancellation) { y, sums in
            mixing.mix(y, from: base, bytesPerRow: source.bytesPerRow, count: count, into: sums)
            if source.format == .rgb8 {
                writing.writeOpaque(sums, to: pixels.row(y))
            } else {
                writing.writePremultiplied(sums, to: pixels.row(y))
            }
        }
    }

    func runStraight(
        _ base: UnsafeRawPointer, of source: Bitmap, into pixels: inout MutablePixels, _ cancellation: CancellationFlag?
    ) throws {
        let mixing = StraightVerticalPass(vertical)
        let writing = HorizontalPass(horizontal, scale: 1)
        let width = source.size.width
        try forEachRow(of: pixels.size.height, count: 4 * width, cancellation) { y, sums in
            mixing.mix(y, from: base, bytesPerRow: source.bytesPerRow, width: width, into: sums)
            writing.writeStraight(sums, to: pixels.row(y))
        }
    }

    func runWide(
        _ base: UnsafeRawPointer, of source: Bitmap, into pixels: inout MutablePixels, _ cancellation: CancellationFlag?
    ) throws {
        let mixing = WideVerticalPass(vertical, format: source.format)
        let writing = HorizontalPass(horizontal, scale: 1)
        let width = source.size.width
        try forEachRow(of: pixels.size.height, count: 4 * width, cancellation) { y, sums in
            mixing.mix(y, from: base, bytesPerRow: source.bytesPerRow, width: width, into: sums)
            if source.format == .rgbaHalfPremultiplied {
                writing.writeHalves(sums, to: pixels.row(y))
            } else {
                writing.writeStraightWords(sums, to: pixels.row(y))
            }
        }
    }

    private func forEachRow(
        of height: Int, count: Int, _ cancellation: CancellationFlag?,
        _ body: (Int, UnsafeMutablePointer<Float>) -> Void
    ) throws {
        // One more, since pixels of three bytes are read four sums at a time.
        try withUnsafeTemporaryAllocation(of: Float.self, capacity: count + 1) { sums in
            sums.initialize(repeating: 0)
            guard let start = sums.baseAddress else { return }
            for y in 0..<height {
                if y & 63 == 0, let cancellation, cancellation.isCancelled { throw CancellationError() }
                body(y, start)
            }
        }
    }
}
