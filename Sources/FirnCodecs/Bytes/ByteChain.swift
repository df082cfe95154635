import FoundationEssentials

/// The bytes of a file so far: a chain of the pieces they came in, never one growing array.
///
/// Invariant: `starts[i]` is the offset of the first byte of `pieces[i]`; no piece is empty.
struct ByteChain {
    private(set) var pieces: [Data] = []
    private(set) var starts: [Int] = []
    /// Bytes that have come.
    private(set) var count = 0
    /// Whether all of the file has come.
    private(set) var isFinished = false

    mutating func append(_ data: Data) {
        guard !data.isEmpty else { return }
        pieces.append(data)
        starts.append(count)
        count += data.count
    }

    mutating func finish() { isFinished = true }

    /// Makes one piece of all, for libraries that jump about in a file. Copies, unless there is one already.
    mutating func join() {
        guard pieces.count > 1 else { return }
        var whole = Data(capacity: count)
        for piece in pieces { whole.append(piece) }
        pieces = [whole]
        starts = [0]
    }

    /// From `offset` to the end of the piece it lies in, but not beyond `end`; without a copy. Empty where nothing has come.
    func piece(at offset: Int, before end: Int = Int.max) -> Data {
        guard offset >= 0, offset < count, let index = index(of: offset) else { return Data() }
        let piece = pieces[index]
        let from = piece.startIndex + (offset - starts[index])
        let length = min(piece.endIndex - from, end - offset)
        return length > 0 ? piece[from..<from + length] : Data()
    }

    /// `count` bytes from `offset` on in one piece, copied only where they lie in several; `nil` where they have not
    /// all come.
    func bytes(at offset: Int, count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else { return nil }
        if count == 0 { return Data() }
        let first = piece(at: offset, before: offset + count)
        if first.count == count { return first }
        var joined = Data(capacity: count)
        joined.append(first)
        while joined.count < count {
            let next = piece(at: offset + joined.count, before: offset + count)
            guard !next.isEmpty else { return nil }
            joined.append(next)
        }
        return joined
    }

    /// One byte; `nil` where it has not come.
    func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < count, let index = index(of: offset) else { return nil }
        return pieces[index][pieces[index].startIndex + (offset - starts[index])]
    }

    /// An unsigned number of `size` bytes (1 to 8), first byte most significant; `nil` where they have not all come.
    func bigEndian(at offset: Int, size: Int) -> UInt64? {
        guard let bytes = bytes(at: offset, count: size) else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// An unsigned number of `size` bytes (1 to 8), first byte least significant; `nil` where they have not all come.
    func littleEndian(at offset: Int, size: Int) -> UInt64? {
        guard let bytes = bytes(at: offset, count: size) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The last piece that starts at or before `offset`, by bisection.
    private func index(of offset: Int) -> Int? {
        if let last = starts.last, offset >= last { return starts.count - 1 }
        var low = 0
        var high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}
