import FirnSync
import FoundationEssentials

/// The rows of a QOI file, as far as its codes have arrived. Ignores bytes after the last pixel.
final class QOIRowSource: RowSource {
    /// The bytes read from the file at once.
    private static let bytesAtOnce = 1 << 16

    let size: PixelSize
    let layout: SampleLayout
    private var codes: QOICodes
    /// The offset of the next code.
    private var position = QOIReader.headerLength
    /// The first `begun` pixels of a row whose bytes have not all arrived. Rows that arrive whole bypass this buffer.
    private var row: [UInt8] = []
    private var begun = 0
    private var next = 0

    init(_ size: PixelSize, hasAlpha: Bool, layout: SampleLayout) {
        self.size = size
        self.layout = layout
        codes = QOICodes(isOpaque: !hasAlpha, layout: layout)
    }

    var bytesNeeded: Int? { next == size.height ? position : nil }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> RowProgress {
        let wanted = min(memory.rows, size.height - next)
        let done = fill(memory, rows: wanted, chain)
        next += done
        return RowProgress(
            rows: done, state: next == size.height ? .end : done == wanted ? .more : .needsBytes)
    }

    /// Decodes rows; the decoded part of an incomplete one is kept.
    ///
    /// - Returns: the number of complete rows.
    private func fill(_ memory: RowMemory, rows: Int, _ chain: ByteChain) -> Int {
        if begun > 0 { row.span.bytes.copy(to: memory.row(0)) }
        var done = 0
        while done < rows {
            // A pixel's code has at most five bytes.
            let most = size.width.saturatingMultiply(5).saturatingMultiply(rows - done)
            let count = max(0, min(QOIRowSource.bytesAtOnce, chain.count - position, most))
            let before = (done, begun)
            var used = 0
            if codes.isRunning || count > 0, let bytes = chain.bytes(at: position, count: count) {
                done += codes.decode(
                    bytes.bytes, &used, &begun, width: size.width, rows: done..<rows, of: memory)
            }
            position += used
            if used == 0, before == (done, begun) {
                row = Array(memory.row(done))
                break
            }
        }
        return done
    }
}
