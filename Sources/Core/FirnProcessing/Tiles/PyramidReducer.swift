import CFirnProcessing

/// Computes the levels of a pyramid from rows that arrive from top to bottom, and passes on each complete row of tiles.
///
/// The rows belong to the image, or to the first level that has tiles.
///
/// Each pixel of a level is the average of 2 × 2 pixels of the level above, weighted by the part of the image that they
/// cover. Colors are averaged as stored, as in decoders that scale. Averages keep 16 bits from level to level, so
/// rounding errors do not add up.
///
/// Memory: one row of tiles and two rows of averages per level, about 21 MiB for 10,000 columns, regardless of the
/// height.
///
/// Safety: owns its buffers; one thread at a time uses them.
package final class PyramidReducer {
    /// Receives the bytes of a row of tiles, its level and its number.
    package typealias Sink<Failure: Error> = (UnsafeRawBufferPointer, _ level: Int, _ row: Int) throws(Failure) -> Void

    /// The size of the rows that arrive.
    private let size: PixelSize
    /// The levels with tiles.
    private let levels: [PyramidLevel]
    /// The last row if it is not paired yet.
    private let single: UnsafeMutableRawBufferPointer
    private let hasAlpha: Bool
    /// True if all rows so far are opaque.
    package private(set) var isOpaque = true
    /// The number of rows so far.
    package private(set) var rowCount = 0

    /// Creates a reducer for pixels in the layout `bgra8Premultiplied`.
    ///
    /// - Parameter hasAlpha: whether pixels may be transparent; if false, alpha is not checked.
    package init(_ shape: PyramidShape, hasAlpha: Bool) {
        size = shape.levels[shape.firstLevel]
        self.hasAlpha = hasAlpha
        levels = shape.stored.map { PyramidLevel(shape, $0) }
        single = .allocate(byteCount: size.width * 4, alignment: 64)
    }

    deinit { single.deallocate() }

    /// The bytes that a reducer holds.
    package static func workingBytes(_ shape: PyramidShape) -> Int {
        shape.levels[shape.stored].reduce(0) { $0 + $1.width * 4 * (PyramidShape.side + 4) }
    }

    /// Adds the next `count` rows.
    ///
    /// Safety: `rows` holds `count` rows of the first level's width. Rows beyond its height are ignored.
    package func add<Failure>(
        _ rows: UnsafeRawPointer, bytesPerRow: Int, count: Int, _ sink: Sink<Failure>
    ) throws(Failure) {
        let width = size.width
        for index in 0..<min(count, size.height - rowCount) {
            let row = rows + index * bytesPerRow
            if hasAlpha, isOpaque { isOpaque = firn_tiles_opaque(row.assumingMemoryBound(to: UInt8.self), width) != 0 }
            levels[0].put(row)
            let isLast = rowCount == size.height - 1
            let isSecond = rowCount % 2 == 1
            rowCount += 1
            if levels.count > 1, isSecond || isLast {
                let first =
                    !isSecond ? row : index > 0 ? row - bytesPerRow : single.baseAddress.map { UnsafeRawPointer($0) }
                if let first { levels[0].halve(first, row, into: levels[1]) }
            } else if levels.count > 1, index == count - 1 {
                single.copyMemory(from: UnsafeRawBufferPointer(start: row, count: width * 4))
            }
            try levels[0].flush(sink)
            if isSecond || isLast { try reduce(sink) }
        }
    }

    /// Passes the latest row of averages on to the levels below the first.
    private func reduce<Failure>(_ sink: Sink<Failure>) throws(Failure) {
        for (number, level) in levels.enumerated().dropFirst() {
            level.take()
            let isDone = level.isPaired
            if isDone, number + 1 < levels.count { level.halve(into: levels[number + 1]) }
            try level.flush(sink)
            guard isDone else { return }
        }
    }
}

/// One level of a pyramid under construction: a row of tiles and two rows of averages.
///
/// Safety: owns its buffers; one thread at a time uses them.
final class PyramidLevel {
    private let shape: PyramidShape
    private let number: Int
    private let size: PixelSize
    /// The row of tiles, tile by tile.
    private let band: UnsafeMutableRawBufferPointer
    /// The latest two rows, as averages times 256.
    private let averages: UnsafeMutableBufferPointer<UInt16>
    /// The number of rows in the tiles, and in total.
    private var filled = 0
    private var rowCount = 0
    /// The number of rows of averages that the level above has written.
    private var arrived = 0

    init(_ shape: PyramidShape, _ number: Int) {
        self.shape = shape
        self.number = number
        size = shape.levels[number]
        band = .allocate(byteCount: size.width * 4 * min(PyramidShape.side, size.height), alignment: 64)
        averages = .allocate(capacity: number == shape.firstLevel ? 1 : size.width * 8)
    }

    deinit {
        band.deallocate()
        averages.deallocate()
    }

    private func average(_ row: Int) -> UnsafeMutablePointer<UInt16>? {
        averages.baseAddress.map { $0 + (row % 2) * size.width * 4 }
    }

    /// True if the latest row completes a row of the next level.
    var isPaired: Bool { rowCount % 2 == 0 || rowCount == size.height }

    // MARK: Tiles

    /// Copies a row of pixels into the tiles.
    func put(_ row: UnsafeRawPointer) {
        forEachTile { place, x, width in place.copyMemory(from: row + 4 * x, byteCount: 4 * width) }
    }

    /// Rounds the latest row of averages into the tiles.
    func take() {
        guard let row = average(rowCount) else { return }
        forEachTile { place, x, width in
            firn_tiles_narrow(row + 4 * x, 4 * width, place.assumingMemoryBound(to: UInt8.self))
        }
    }

    private func forEachTile(_ body: (UnsafeMutableRawPointer, _ x: Int, _ width: Int) -> Void) {
        guard let base = band.baseAddress, rowCount < size.height else { return }
        let height = shape.bandHeight(number, rowCount / PyramidShape.side)
        var x = 0
        while x < size.width {
            let width = min(PyramidShape.side, size.width - x)
            body(base + (x * height + filled * width) * 4, x, width)
            x += width
        }
        filled += 1
        rowCount += 1
    }

    /// Passes the row of tiles to `sink` if it is complete.
    func flush<Failure>(_ sink: PyramidReducer.Sink<Failure>) throws(Failure) {
        guard filled > 0 else { return }
        let row = (rowCount - 1) / PyramidShape.side
        guard filled == shape.bandHeight(number, row) else { return }
        try sink(UnsafeRawBufferPointer(rebasing: band[..<(filled * size.width * 4)]), number, row)
        filled = 0
    }

    // MARK: The next level

    /// Averages two rows of pixels; both are the same row if the last row is unpaired.
    func halve(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, into next: PyramidLevel) {
        halve(
            a.assumingMemoryBound(to: UInt8.self), b.assumingMemoryBound(to: UInt8.self), into: next, scale: 256,
            firn_tiles_halve8)
    }

    /// Averages the latest two rows of averages, or only the last row if it is unpaired.
    func halve(into next: PyramidLevel) {
        guard let last = average(rowCount - 1), let first = rowCount % 2 == 1 ? last : average(rowCount - 2) else {
            return
        }
        halve(first, last, into: next, scale: 1, firn_tiles_halve16)
    }

    private func halve<Sample: FixedWidthInteger & UnsignedInteger>(
        _ first: UnsafePointer<Sample>, _ last: UnsafePointer<Sample>, into next: PyramidLevel, scale: Int,
        _ kernel: (UnsafePointer<Sample>, UnsafePointer<Sample>, Int, UnsafeMutablePointer<UInt16>) -> Void
    ) {
        guard let out = next.average(next.arrived) else { return }
        next.arrived += 1
        let full = 256
        let isWhole = rowCount % 2 == 1 || rowCount < size.height
        let lower = isWhole ? full : weight(of: size.height - 1, shape.size.height)
        guard lower == full else { return mix(first, last, (full, lower), from: 0, next, scale: scale, out) }
        // The last pair may have a column that covers less of the image.
        let pairs = size.width % 2 == 0 ? size.width / 2 - 1 : size.width / 2
        kernel(first, last, pairs, out)
        mix(first, last, (full, full), from: pairs, next, scale: scale, out)
    }

    /// Returns the share of the image that a column or row covers; 256 for a full one.
    private func weight(of index: Int, _ side: Int) -> Int {
        let covered = min(1 << number, side - (index << number))
        return max(1, (covered << 8) >> number)
    }

    /// Averages pixels, weighted by the area that they cover.
    private func mix<Sample: FixedWidthInteger & UnsignedInteger>(
        _ a: UnsafePointer<Sample>, _ b: UnsafePointer<Sample>, _ rows: (upper: Int, lower: Int), from first: Int,
        _ next: PyramidLevel, scale: Int, _ out: UnsafeMutablePointer<UInt16>
    ) {
        for x in first..<next.size.width {
            let (left, right) = (2 * x, min(2 * x + 1, size.width - 1))
            let wide = weight(of: left, shape.size.width)
            let narrow = right > left ? weight(of: right, shape.size.width) : 0
            let total = (wide + narrow) * (rows.upper + rows.lower)
            for component in 0..<4 {
                let (l, r) = (4 * left + component, 4 * right + component)
                let upper = (Int(a[l]) * wide + Int(a[r]) * narrow) * rows.upper
                let lower = (Int(b[l]) * wide + Int(b[r]) * narrow) * rows.lower
                out[4 * x + component] = UInt16(clamping: ((upper + lower) * scale + total / 2) / total)
            }
        }
    }
}
