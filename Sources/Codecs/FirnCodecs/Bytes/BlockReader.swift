import FoundationEssentials
import FirnSync

/// Reads bytes of a file at rest in blocks, and caches the last few blocks.
///
/// One session uses it, on one thread at a time; copies of a ``ByteChain`` share it.
final class BlockReader {
    /// The bytes of a block by default: large enough that a read costs little per byte, small enough that the cache
    /// stays small.
    static let usualBlockLength = 256 << 10
    private let blockLength: Int
    /// The number of cached blocks: two for rows that cross a block border, two for a table beside them.
    private static let blocksKept = 4

    let count: Int
    /// The reason why a read failed; `nil` if none did. The bytes then seem to end at the offset of the failure.
    private(set) var failure: String?
    let source: any ByteSource
    private var kept: [(number: Int, bytes: Data)] = []

    init(_ source: any ByteSource, blockLength: Int = BlockReader.usualBlockLength) {
        self.blockLength = max(1, blockLength)
        self.source = source
        count = max(0, source.count)
    }

    /// Returns the bytes from `offset` to the end of its block. Empty if the read failed or the bytes ended early.
    func piece(at offset: Int) -> Data {
        guard offset >= 0, offset < count else { return Data() }
        let number = offset / blockLength
        let block = block(number)
        return block.dropFirst(offset - number * blockLength)
    }

    /// Returns all bytes in one piece, without caching them.
    func all() -> Data { read(at: 0, count: count) }

    private func block(_ number: Int) -> Data {
        if let index = kept.lastIndex(where: { $0.number == number }) {
            let found = kept.remove(at: index)
            kept.append(found)
            return found.bytes
        }
        let start = number * blockLength
        let bytes = read(at: start, count: min(blockLength, count - start))
        if kept.count == BlockReader.blocksKept { kept.removeFirst() }
        kept.append((number, bytes))
        return bytes
    }

    private func read(at offset: Int, count: Int) -> Data {
        do {
            let bytes = try source.read(at: offset, count: count)
            if bytes.count < count, failure == nil { failure = "the file became shorter while it was read" }
            return bytes
        } catch {
            if failure == nil { failure = "\(error)" }
            return Data()
        }
    }
}
