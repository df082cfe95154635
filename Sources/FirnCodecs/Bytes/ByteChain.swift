import FirnImage
import FoundationEssentials

/// The bytes of a file received so far: a chain of the pieces as they arrived, without one growing array.
///
/// Invariant: `starts[i]` is the offset of the first byte of `pieces[i]`; no piece is empty.
struct ByteChain {
    /// Bytes in memory, or bytes of a file at rest.
    private enum Piece {
        case data(Data)
        case blocks(BlockReader)

        /// Returns the bytes from `offset` on; for a file at rest, to the end of a block.
        func bytes(from offset: Int) -> Data {
            switch self {
            case .data(let data): data.dropFirst(offset)
            case .blocks(let reader): reader.piece(at: offset)
            }
        }
    }

    private var pieces: [Piece] = []
    /// Bytes that replace those of the file, in order.
    private var patches: [(start: Int, bytes: Data)] = []
    private var starts: [Int] = []
    /// The number of bytes received.
    private(set) var count = 0
    /// Whether the whole file has been received.
    private(set) var isFinished = false

    mutating func append(_ data: Data) {
        guard !data.isEmpty else { return }
        pieces.append(.data(data))
        starts.append(count)
        count += data.count
    }

    /// Appends a file at rest; its bytes are read when they are needed.
    mutating func append(_ source: any ByteSource) {
        let reader = BlockReader(source)
        guard reader.count > 0 else { return }
        pieces.append(.blocks(reader))
        starts.append(count)
        count += reader.count
    }

    /// Replaces bytes from `offset` on, for all later reads; they lie within the file and were not replaced before.
    mutating func replace(at offset: Int, with bytes: [UInt8]) {
        patches.append((offset, Data(bytes)))
        patches.sort { $0.start < $1.start }
    }

    /// Why bytes at rest could not be read; `nil` if no read failed.
    var readFailure: String? {
        for case .blocks(let reader) in pieces {
            if let failure = reader.failure { return failure }
        }
        return joinFailure
    }

    /// The value of ``readFailure`` before ``join()``.
    private var joinFailure: String?

    /// Returns the same bytes for another thread: it reads those at rest in blocks of its own.
    func reopened(blockLength: Int) -> ByteChain {
        var copy = self
        copy.pieces = pieces.map { piece in
            guard case .blocks(let reader) = piece else { return piece }
            return .blocks(BlockReader(reader.source, blockLength: blockLength))
        }
        return copy
    }

    /// The number of pieces.
    var pieceCount: Int { pieces.count }

    mutating func finish() { isFinished = true }

    /// Joins all pieces into one, for libraries that need random access. Copies unless there is a single piece already.
    mutating func join() {
        if pieces.isEmpty || !patches.isEmpty { return }
        if pieces.count == 1, case .data = pieces[0] { return }
        var whole = Data()
        for piece in pieces {
            let bytes: Data
            switch piece {
            case .data(let data): bytes = data
            case .blocks(let reader): bytes = reader.all()
            }
            if pieces.count == 1 {
                whole = bytes
            } else {
                if whole.isEmpty { whole.reserveCapacity(count) }
                whole.append(bytes)
            }
        }
        // Order: before the reader and its failure are released.
        let failure = readFailure
        pieces = [.data(whole)]
        starts = [0]
        count = whole.count
        joinFailure = failure
    }

    /// Returns the bytes from `offset` to the end of its piece, but not beyond `end`, without a copy. Empty if they
    /// have not been received.
    func piece(at offset: Int, before end: Int = Int.max) -> Data {
        guard offset >= 0, offset < count, let index = index(of: offset) else { return Data() }
        var end = end
        if let patch = patches.first(where: { $0.start + $0.bytes.count > offset }) {
            if patch.start <= offset { return patch.bytes.dropFirst(offset - patch.start).prefix(max(0, end - offset)) }
            end = min(end, patch.start)
        }
        return pieces[index].bytes(from: offset - starts[index]).prefix(max(0, end - offset))
    }

    /// Returns `count` bytes from `offset` on in one piece, copied only if they span several; `nil` if some have not
    /// been received.
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

    /// Returns a descriptor of the file and its length, if all of the chain is a file at rest; the caller closes it.
    func openedFile() -> (descriptor: Int32, length: Int)? {
        guard pieces.count == 1, patches.isEmpty, case .blocks(let reader) = pieces[0] else { return nil }
        return reader.descriptor().map { ($0, count) }
    }

    /// Returns one byte; `nil` if it has not been received.
    func byte(at offset: Int) -> UInt8? {
        guard patches.isEmpty else { return piece(at: offset).first }
        guard offset >= 0, offset < count, let index = index(of: offset) else { return nil }
        return pieces[index].bytes(from: offset - starts[index]).first
    }

    /// Returns an unsigned number of `size` bytes (1 to 8), most significant byte first; `nil` if some have not been
    /// received.
    func bigEndian(at offset: Int, size: Int) -> UInt64? {
        guard let bytes = bytes(at: offset, count: size) else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns an unsigned number of `size` bytes (1 to 8), least significant byte first; `nil` if some have not been
    /// received.
    func littleEndian(at offset: Int, size: Int) -> UInt64? {
        guard let bytes = bytes(at: offset, count: size) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the offset of the first byte from `offset` on that is not `value`; `nil` if it has not been received.
    func offset(from offset: Int, ofFirstOtherThan value: UInt8) -> Int? {
        var offset = offset
        while true {
            let piece = piece(at: offset)
            guard !piece.isEmpty else { return nil }
            if let found = piece.withUnsafeBytes({ bytes in bytes.firstIndex { $0 != value } }) {
                return offset + found
            }
            offset += piece.count
        }
    }

    /// Returns the last piece that starts at or before `offset`, by bisection.
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
