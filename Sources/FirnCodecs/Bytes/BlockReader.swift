import FirnImage
import FoundationEssentials

/// Bytes at rest, read in blocks, of which the last few are kept.
///
/// Used by one session, in one thread at a time; copies of a ``ByteChain`` share it.
final class BlockReader {
    /// Enough that reading costs little per byte, little enough that a reader of a file's rows keeps almost nothing.
    private static let blockLength = 256 << 10
    /// Two for rows that lie across a border, two for a table beside them.
    private static let blocksKept = 4

    let count: Int
    /// Why a read failed; what was asked for then looks as if the bytes ended there.
    private(set) var failure: String?
    private let source: any ByteSource
    private var kept: [(number: Int, bytes: Data)] = []

    init(_ source: any ByteSource) {
        self.source = source
        count = max(0, source.count)
    }

    /// From `offset` to the end of its block. Empty where reading failed, or where the bytes ended early.
    func piece(at offset: Int) -> Data {
        guard offset >= 0, offset < count else { return Data() }
        let number = offset / BlockReader.blockLength
        let block = block(number)
        return block.dropFirst(offset - number * BlockReader.blockLength)
    }

    /// Everything, in one piece; not kept here.
    func all() -> Data { read(at: 0, count: count) }

    private func block(_ number: Int) -> Data {
        if let index = kept.lastIndex(where: { $0.number == number }) {
            let found = kept.remove(at: index)
            kept.append(found)
            return found.bytes
        }
        let start = number * BlockReader.blockLength
        let bytes = read(at: start, count: min(BlockReader.blockLength, count - start))
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
