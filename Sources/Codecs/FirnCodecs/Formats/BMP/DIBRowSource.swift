import FoundationEssentials

/// The rows of an uncompressed bitmap, of a BMP file or an icon.
///
/// Returns rows from the top. Most files store them from the bottom, so that the first row arrives last. The source
/// reads such files from the end and holds only the requested rows.
///
/// Invariant: `header.pixelEnd()` does not overflow, so no row's offset does.
final class DIBRowSource: RowSource {
    /// The most bytes of rows read from the file at once; at least one row is read.
    private static let bytesAtOnce = 1 << 20

    let layout: SampleLayout
    private let header: DIBHeader
    private let end: Int
    /// The offset after the mask of an icon, which begins at `end`; `nil` without a mask.
    private let maskEnd: Int?
    private var alpha: AlphaSearch
    private var packer: DIBRowPacker?
    private var next = 0
    /// The number of rows that the last preview showed.
    private var rowsShown = 0

    /// - Parameter isIcon: whether a mask follows the pixels.
    init(_ header: DIBHeader, layout: SampleLayout, isIcon: Bool) throws(ImageError) {
        self.header = header
        self.layout = layout
        end = try header.pixelEnd()
        maskEnd = isIcon ? try header.maskEnd() : nil
        alpha = AlphaSearch(header)
    }

    var size: PixelSize { header.size }
    var hasPreviews: Bool { !header.isTopDown }
    var bytesNeeded: Int? { maskEnd ?? end }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        guard next < size.height else { return RowProgress(rows: 0, state: .end) }
        if let state = alpha.advance(chain) { return RowProgress(rows: 0, state: state) }
        // The palette was there before the header was known.
        guard chain.count > header.pixelOffset else { return RowProgress(rows: 0, state: .needsBytes) }
        if let maskEnd, !chain.isFinished, chain.count < maskEnd { return RowProgress(rows: 0, state: .needsBytes) }
        let packer = self.packer ?? makePacker(chain)
        self.packer = packer
        let most = max(1, DIBRowSource.bytesAtOnce / header.bytesPerRow)
        let wanted = min(memory.rows, size.height - next)
        var done = 0
        var state = RowProgress.State.more
        while state == .more, done < wanted {
            let count = min(most, wanted - done)
            let written = writeRows(next + done, count, chain, packer, memory, at: done)
            done += written
            if written < count { state = .needsBytes }
        }
        next += done
        return RowProgress(rows: done, state: next == size.height ? .end : state)
    }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> Bool {
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

    /// Writes `count` rows from row `y` on, or as many as have been received, to `memory` from its row `targetRow` on.
    /// Returns their number.
    private func writeRows(
        _ y: Int, _ count: Int, _ chain: ByteChain, _ packer: DIBRowPacker, _ memory: RowMemory, at targetRow: Int
    ) -> Int {
        let stored = header.isTopDown ? y : size.height - y - count
        let offset = header.pixelOffset + stored * header.bytesPerRow
        guard let bytes = chain.bytes(at: offset, count: (count - 1) * header.bytesPerRow + header.rowBytes) else {
            // Some of them may have been received; only in a top-down file do the first rows arrive first.
            return count > 1 && header.isTopDown ? writeRows(y, count / 2, chain, packer, memory, at: targetRow) : 0
        }
        for row in 0..<count {
            let start = (header.isTopDown ? row : count - 1 - row) * header.bytesPerRow
            packer.pack(bytes.bytes.extracting(start..<start + header.rowBytes), to: memory.row(targetRow + row))
        }
        // Pixels with alpha of their own do not use the mask.
        if maskEnd != nil, alpha.finding != .used { hidePixels(of: memory, at: targetRow, rows: y..<y + count, chain) }
        return count
    }

    /// Makes pixels whose bit in the icon's mask is 1 transparent, as far as the mask has arrived.
    ///
    /// If the file ends before its mask, no pixel is hidden. Windows inverts the screen under a hidden pixel that is
    /// not black; here such a pixel is transparent, too.
    ///
    /// - Parameter place: the row of `memory` with the first of `rows`.
    private func hidePixels(of memory: RowMemory, at targetRow: Int, rows: Range<Int>, _ chain: ByteChain) {
        guard layout == .bgra8 || layout == .rgba8 else { return }
        let (bytesPerRow, isTopDown) = (header.maskBytesPerRow, header.isTopDown)
        let first = isTopDown ? rows.lowerBound : size.height - rows.upperBound
        let start = end + first * bytesPerRow
        let wanted = (rows.count - 1) * bytesPerRow + (size.width + 7) / 8
        guard let bits = chain.bytes(at: start, count: max(0, min(wanted, chain.count - start))) else { return }
        for row in rows {
            let start = ((isTopDown ? row : size.height - 1 - row) - first) * bytesPerRow
            let target = memory.row(targetRow + row - rows.lowerBound)
            // A row whose mask is cut off stays as it is.
            guard start + (size.width + 7) / 8 <= bits.count, target.count >= size.width * 4 else { continue }
            var pixels = target.mutableBytes
            for x in 0..<size.width where bits.bytes.byte(at: start + x / 8) & 0x80 >> (x % 8) != 0 {
                pixels.storeBytes(of: 0, toByteOffset: x * 4 + 3, as: UInt8.self)
            }
        }
    }
}

/// Finds out whether any pixel of a bitmap has alpha. Many writers set all alpha bytes of opaque images to 0, and
/// browsers show such files as opaque.
struct AlphaSearch {
    enum Finding { case unknown, used, ignored }

    /// The bytes examined per step, so that a search can be interrupted.
    private static let bytesAtOnce = 4 << 20
    /// The bytes read at once; at least one row.
    private static let bytesRead = 64 << 10

    private(set) var finding: Finding
    private let header: DIBHeader
    /// The first row, in stored order, that has not been examined.
    private var next = 0

    init(_ header: DIBHeader) {
        self.header = header
        finding = header.hasAlpha ? .unknown : .ignored
    }

    /// Examines some more rows.
    ///
    /// - Returns: the state that the row source returns; `nil` once the search is over.
    mutating func advance(_ chain: ByteChain) -> RowProgress.State? {
        guard finding == .unknown else { return nil }
        let (rows, bytesPerRow, rowBytes) = (header.size.height, header.bytesPerRow, header.rowBytes)
        var looked = 0
        while next < rows {
            // Less than the offset after the pixels, which was checked for overflow.
            let offset = header.pixelOffset + next * bytesPerRow
            let there = max(0, chain.count - offset - rowBytes) / bytesPerRow + 1
            let count = min(rows - next, max(1, AlphaSearch.bytesRead / bytesPerRow), there)
            guard let bytes = chain.bytes(at: offset, count: (count - 1) * bytesPerRow + rowBytes) else {
                guard chain.isFinished else { return .needsBytes }
                break
            }
            if hasAlpha(bytes, rows: count) {
                finding = .used
                return nil
            }
            next += count
            looked += count * bytesPerRow
            if looked >= AlphaSearch.bytesAtOnce { return .more }
        }
        finding = .ignored
        return nil
    }

    /// Returns whether any pixel of some rows has alpha.
    private func hasAlpha(_ content: Data, rows count: Int) -> Bool {
        let pixels = content.bytes
        let (bytesPerRow, rowBytes, size) = (header.bytesPerRow, header.rowBytes, header.bitsPerPixel / 8)
        var all: UInt32 = 0
        for start in stride(from: 0, to: count * bytesPerRow, by: bytesPerRow) {
            let row = pixels.extracting(start..<start + rowBytes)
            if size == 4 {
                row.forEachPixel(bytes: 4, count: rowBytes / 4) { part, at, _ in all |= part.littleEndian32(at: at) }
                continue
            }
            for at in stride(from: 0, through: rowBytes - size, by: size) {
                for byte in 0..<size { all |= UInt32(row.byte(at: at + byte)) &<< UInt32(truncatingIfNeeded: byte * 8) }
            }
        }
        return all & (header.masks?.alpha ?? 0) != 0
    }
}
