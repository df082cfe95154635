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
