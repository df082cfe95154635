import FirnData
import FirnSync

/// The bytes of a file received so far: a chain of the pieces as they arrived, without one growing array.
///
/// Each read counts as a step of the file's ``DecodingWatch``. Once the watch has ended the call, reads return nothing,
/// as if no bytes had been received.
///
/// Invariant: `starts[i]` is the offset of the first byte of `pieces[i]`; no piece is empty. Patches are sorted, and do
/// not overlap.
struct ByteChain {
    /// The bytes that a loop over the whole file reads at once, so that it can be stopped.
    static let windowLength = 1 << 20
    /// A read counts one step, and one more for each 4 KiB, which take about as long to copy.
    private static let shiftOfSteps = 12

    /// Counts the reads, and ends calls that are cancelled or take too long.
    private(set) var watch: DecodingWatch

    init(watch: DecodingWatch = DecodingWatch()) { self.watch = watch }

    /// Creates the chain of a whole file in memory.
    init(whole file: Data, watch: DecodingWatch = DecodingWatch()) {
        self.watch = watch
        append(file)
        finish()
    }

    /// Bytes in memory, or a file on disk.
    private enum Piece {
        case data(Data)
        case blocks(BlockReader)

        /// All bytes, read from disk if they are there.
        var all: Data {
            switch self {
            case .data(let data): data
            case .blocks(let reader): reader.read(at: 0, count: reader.count)
            }
        }

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
    /// True if the whole file has been received.
    private(set) var isFinished = false

    mutating func append(_ data: Data) { append(.data(data), length: data.count) }

    /// Appends a file on disk; its bytes are read when they are needed.
    mutating func append(_ source: any ByteSource) {
        let reader = BlockReader(source)
        append(.blocks(reader), length: reader.count)
    }

    private mutating func append(_ piece: Piece, length: Int) {
        guard length > 0 else { return }
        pieces.append(piece)
        starts.append(count)
        count += length
    }

    /// Replaces bytes from `offset` on for all later reads. They must lie in the file, and be replaced only once.
    mutating func replace(at offset: Int, with bytes: [UInt8]) {
        patches.insert((offset, Data(bytes)), at: patches.firstPlace { $0.start >= offset })
    }

    /// Why bytes could not be read from disk; `nil` if no read failed.
    var readFailure: String? { readers.lazy.compactMap(\.failure).first ?? joinFailure }

    private var readers: [BlockReader] {
        pieces.compactMap { if case .blocks(let reader) = $0 { reader } else { nil } }
    }

    /// The value of ``readFailure`` before ``join()``.
    private var joinFailure: String?

    /// The same bytes without a watch, which can be read after the end of the call.
    var unwatched: ByteChain {
        var copy = self
        copy.watch = DecodingWatch()
        return copy
    }

    /// Returns the same bytes for another thread, which reads from disk in blocks of its own.
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
        var whole = pieces.count == 1 ? pieces[0].all : Data(capacity: count)
        if pieces.count > 1 { for piece in pieces { whole.append(piece.all) } }
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
        guard watch.count(), offset >= 0, offset < count, let index = index(of: offset) else { return Data() }
        var end = end
        let patchIndex = patches.firstPlace { $0.start + $0.bytes.count > offset }
        if patchIndex < patches.count {
            let patch = patches[patchIndex]
            if patch.start <= offset { return patch.bytes.dropFirst(offset - patch.start).prefix(max(0, end - offset)) }
            end = min(end, patch.start)
        }
        return pieces[index].bytes(from: offset - starts[index]).prefix(max(0, end - offset))
    }

    /// Returns the bytes from `offset` on that a loop over the whole file reads at once, without a copy. Empty if they
    /// have not been received.
    func window(at offset: Int) -> Data {
        guard watch.count(ByteChain.windowLength >> ByteChain.shiftOfSteps), offset < count else { return Data() }
        return piece(at: offset, before: offset + min(ByteChain.windowLength, count - offset))
    }

    /// Returns `count` bytes from `offset` on in one piece, copied only if they span several; `nil` if some have not
    /// been received.
    func bytes(at offset: Int, count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset,
            watch.count(count >> ByteChain.shiftOfSteps)
        else { return nil }
        if count == 0 { return Data() }
        let first = piece(at: offset, before: offset + count)
        if first.count == count { return first }
        var joined = Data(capacity: count)
        joined.append(first)
        forEachPiece(in: offset + first.count..<offset + count) { next, _ in joined.append(next) }
        return joined.count == count ? joined : nil
    }

    /// Returns the bytes of a range; `nil` if some have not been received.
    func bytes(_ range: Range<Int>) -> Data? { bytes(at: range.lowerBound, count: range.count) }

    /// Passes the bytes of a range to `body`, as far as they have been received: piece by piece, without a copy, each
    /// with its offset.
    ///
    /// - Returns: the offset after the last one.
    @discardableResult
    func forEachPiece(in range: Range<Int>, _ body: (Data, _ offset: Int) -> Void) -> Int {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let piece = piece(at: offset, before: range.upperBound)
            guard !piece.isEmpty else { break }
            body(piece, offset)
            offset += piece.count
        }
        return offset
    }

    /// Returns a range of the file as a file of its own. Bytes in memory are not copied; others are read from disk.
    func part(_ range: Range<Int>) -> ByteChain {
        var part = ByteChain(watch: watch)
        forEachPiece(in: range) { piece, _ in part.append(piece) }
        part.finish()
        return part
    }

    /// Returns a descriptor of the file and its length if the chain is one file on disk; the caller closes it.
    func openedFile() -> (descriptor: Int32, length: Int)? {
        guard pieces.count == 1, patches.isEmpty, case .blocks(let reader) = pieces[0] else { return nil }
        return reader.source.readOnlyDescriptor().map { ($0, count) }
    }

    /// False if a file on disk has changed since it was opened.
    var isUnchanged: Bool { readers.allSatisfy(\.source.isUnchanged) }

    /// Returns one byte; `nil` if it has not been received.
    func byte(at offset: Int) -> UInt8? {
        guard patches.isEmpty else { return piece(at: offset).first }
        guard watch.count(), offset >= 0, offset < count, let index = index(of: offset) else { return nil }
        return pieces[index].bytes(from: offset - starts[index]).first
    }

    /// Returns the offset of the first byte from `offset` on that is not `value`; `nil` if it has not been received.
    func offset(from offset: Int, ofFirstOtherThan value: UInt8) -> Int? {
        var offset = offset
        while true {
            let piece = window(at: offset)
            guard !piece.isEmpty else { return nil }
            let bytes = piece.bytes
            if let index = bytes.byteOffsets.first(where: { bytes.byte(at: $0) != value }) { return offset + index }
            offset += piece.count
        }
    }

    /// Returns the last piece that starts at or before `offset`, by bisection.
    private func index(of offset: Int) -> Int? {
        if let last = starts.last, offset >= last { return starts.count - 1 }
        let behind = starts.firstPlace { $0 > offset }
        return behind > 0 ? behind - 1 : nil
    }
}

/// Reads a file on disk in blocks, and caches the last few of them.
///
/// One session uses it, on one thread at a time; copies of a ``ByteChain`` share it.
final class BlockReader {
    /// The bytes of a block by default: large enough that a read costs little per byte, small enough that the cache
    /// stays small.
    static let usualBlockLength = 256 << 10
    private let blockLength: Int
    /// The number of cached blocks: two for rows that cross a block boundary, and two for a table.
    private static let blocksKept = 4

    let count: Int
    /// Why a read failed; `nil` if none did. After a failure, the file seems to end where the read began.
    private(set) var failure: String?
    let source: any ByteSource
    private var cache: [(number: Int, bytes: Data)] = []

    init(_ source: any ByteSource, blockLength: Int = BlockReader.usualBlockLength) {
        self.blockLength = max(1, blockLength)
        self.source = source
        count = max(0, source.count)
    }

    /// Returns the bytes from `offset` to the end of its block. Empty if the read failed or the bytes ended early.
    func piece(at offset: Int) -> Data {
        guard offset >= 0, offset < count else { return Data() }
        return block(offset / blockLength).dropFirst(offset % blockLength)
    }

    private func block(_ number: Int) -> Data {
        if let index = cache.lastIndex(where: { $0.number == number }) {
            let cached = cache.remove(at: index)
            cache.append(cached)
            return cached.bytes
        }
        let start = number * blockLength
        let bytes = read(at: start, count: min(blockLength, count - start))
        if cache.count == BlockReader.blocksKept { cache.removeFirst() }
        cache.append((number, bytes))
        return bytes
    }

    /// Returns bytes in one piece, without caching them.
    func read(at offset: Int, count: Int) -> Data {
        do {
            let bytes = try source.read(at: offset, count: count)
            if bytes.count < count, failure == nil { failure = "the file became shorter while it was read" }
            return bytes
        } catch {
            if failure == nil { failure = (error as? DataFileError)?.reason ?? "\(error)" }
            return Data()
        }
    }
}
