/// The memory that a row source writes to, row by row.
///
/// Safety: the caller of the row source vouches for all `rows` rows. A row that is not among them has no memory, and
/// writers check the number of bytes of a row once before they fill it.
struct RowMemory {
    let base: UnsafeMutableRawPointer
    let bytesPerRow: Int
    private let rowBytes: Int
    private(set) var rows: Int
    /// Keeps the memory for a ``DetachedCall``; `nil` (the default) if the caller does.
    private let owner: AnyObject?

    /// - Parameter rowBytes: the bytes of a row that are written, without padding.
    init(_ base: UnsafeMutableRawPointer, bytesPerRow: Int, rowBytes: Int, rows: Int, owner: AnyObject? = nil) {
        self.base = base
        self.owner = owner
        self.bytesPerRow = bytesPerRow
        self.rowBytes = max(0, min(rowBytes, bytesPerRow))
        self.rows = rows
    }

    /// Returns the memory of row `y`, without padding. Empty if there is no such row.
    func row(_ y: Int) -> UnsafeMutableRawBufferPointer {
        guard y >= 0, y < rows else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        return UnsafeMutableRawBufferPointer(start: base + y * bytesPerRow, count: rowBytes)
    }

    /// Returns at most the first `count` rows.
    func prefix(_ count: Int) -> RowMemory {
        var first = self
        first.rows = min(count, rows)
        return first
    }

    /// Copies a row to another one; does nothing if there is no such row.
    func copyRow(_ y: Int, to other: Int) {
        let (from, to) = (row(y), row(other))
        if from.count == to.count { to.copyMemory(from: UnsafeRawBufferPointer(from)) }
    }
}
