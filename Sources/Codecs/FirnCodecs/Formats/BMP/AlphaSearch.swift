import FoundationEssentials

/// Finds out whether any pixel of a bitmap has alpha. Many writers set the alpha byte to 0 everywhere and mean opaque;
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
