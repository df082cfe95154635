import FirnImage
import FoundationEssentials

/// The rows of an uncompressed bitmap, of a BMP file or an icon.
///
/// Returns rows from the top. Most files store them from the bottom, so that the first row arrives last; then the
/// source reads the file from its end and holds only the requested rows.
///
/// Invariant: `header.pixelEnd()` does not overflow, so no row's offset does.
final class DIBRowSource: RowSource {
    /// The most bytes of rows read from the file at once; at least one row is read.
    private static let bytesAtOnce = 1 << 20

    let layout: SampleLayout
    private let header: DIBHeader
    private let end: Int
    private let mask: IconMask?
    private var alpha: AlphaSearch
    private var packer: DIBRowPacker?
    private var next = 0
    /// The number of rows that the last preview showed.
    private var rowsShown = 0

    /// - Parameter isIcon: whether a mask follows the pixels.
    init(_ header: DIBHeader, layout: SampleLayout, isIcon: Bool) throws(ImageDecodingError) {
        self.header = header
        self.layout = layout
        end = try header.pixelEnd()
        mask = isIcon ? try IconMask(header) : nil
        alpha = AlphaSearch(header)
    }

    var size: PixelSize { header.size }
    var hasPreviews: Bool { !header.isTopDown }
    var bytesNeeded: Int? { mask?.end ?? end }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> RowProgress {
        guard next < size.height else { return RowProgress(rows: 0, state: .end) }
        if let state = alpha.advance(chain) { return RowProgress(rows: 0, state: state) }
        // The palette ends before the pixels begin.
        guard chain.count > header.pixelOffset else { return RowProgress(rows: 0, state: .needsBytes) }
        if let mask, !mask.isThere(chain) { return RowProgress(rows: 0, state: .needsBytes) }
        let packer = self.packer ?? makePacker(chain)
        self.packer = packer
        let most = max(1, DIBRowSource.bytesAtOnce / header.bytesPerRow)
        var done = 0
        while done < min(memory.rows, size.height - next) {
            let count = min(most, memory.rows - done, size.height - next - done)
            let written = writeRows(next + done, count, chain, packer, memory, at: done)
            done += written
            if written < count {
                next += done
                return RowProgress(rows: done, state: .needsBytes)
            }
        }
        next += done
        return RowProgress(rows: done, state: next == size.height ? .end : .more)
    }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> Bool {
        _ = alpha.advance(chain)
        let packer = makePacker(chain)
        let received = max(0, chain.count - header.pixelOffset + header.bytesPerRow - header.rowBytes)
        let there = min(size.height, received / header.bytesPerRow)
        guard there > 0 else { return false }
        let most = max(1, DIBRowSource.bytesAtOnce / header.bytesPerRow)
        for y in stride(from: size.height - there, to: size.height, by: most) {
            _ = writeRows(y, min(most, size.height - y), chain, packer, memory, at: y)
        }
        defer { rowsShown = there }
        return there > rowsShown || chain.isFinished
    }

    private func makePacker(_ chain: ByteChain) -> DIBRowPacker {
        DIBRowPacker(header, chain, layout: layout, isOpaque: alpha.finding != .used)
    }

    /// Writes `count` rows from row `y` on, or as many as have been received, to `memory` from its row `place` on;
    /// returns how many.
    private func writeRows(
        _ y: Int, _ count: Int, _ chain: ByteChain, _ packer: DIBRowPacker, _ memory: RowMemory, at place: Int
    ) -> Int {
        let stored = header.isTopDown ? y : size.height - y - count
        let offset = header.pixelOffset + stored * header.bytesPerRow
        guard let bytes = chain.bytes(at: offset, count: (count - 1) * header.bytesPerRow + header.rowBytes) else {
            // Some of them may have been received; only in a top-down file do the first rows arrive first.
            return count > 1 && header.isTopDown ? writeRows(y, count / 2, chain, packer, memory, at: place) : 0
        }
        for row in 0..<count {
            let start = (header.isTopDown ? row : count - 1 - row) * header.bytesPerRow
            packer.pack(bytes.bytes.extracting(start..<start + header.rowBytes), to: memory.row(place + row))
        }
        if alpha.finding != .used { mask?.apply(to: memory, at: place, rows: y..<y + count, chain, layout) }
        return count
    }
}
