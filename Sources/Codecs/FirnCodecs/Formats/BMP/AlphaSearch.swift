import FirnImage
import FoundationEssentials

/// Finds out whether any pixel of a bitmap has alpha. Many writers set the alpha byte to 0 everywhere and mean opaque;
/// browsers show such files as opaque.
struct AlphaSearch {
    enum Finding { case unknown, used, ignored }

    /// The bytes examined per step, so that a search can be interrupted.
    private static let bytesAtOnce = 4 << 20

    private(set) var finding: Finding
    private let mask: UInt32
    private let bytesPerPixel: Int
    private let start: Int
    private let bytesPerRow: Int
    private let rowBytes: Int
    private let rows: Int
    /// The first row, in stored order, that has not been examined.
    private var next = 0
    /// The bytes read at once; at least one row.
    private static let bytesRead = 64 << 10

    /// - Parameter rowBytes: the bytes of a row without padding.
    init(_ header: DIBHeader, rowBytes: Int) {
        mask = header.masks?.alpha.mask ?? 0
        finding = header.hasAlpha ? .unknown : .ignored
        bytesPerPixel = header.bitsPerPixel / 8
        start = header.pixelOffset
        bytesPerRow = header.bytesPerRow
        self.rowBytes = rowBytes
        rows = header.size.height
    }

    /// Examines some more rows.
    ///
    /// - Returns: the state that the row source returns; `nil` once the search is over.
    mutating func advance(_ chain: ByteChain) -> RowProgress.State? {
        guard finding == .unknown else { return nil }
        var looked = 0
        while next < rows {
            // Less than the offset after the pixels, which was checked for overflow.
            let offset = start + next * bytesPerRow
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

    private func hasAlpha(_ content: Data, rows count: Int) -> Bool {
        let pixels = content.bytes
        for row in 0..<count where hasAlpha(pixels.extracting(row * bytesPerRow..<row * bytesPerRow + rowBytes)) {
            return true
        }
        return false
    }

    private func hasAlpha(_ row: RawSpan) -> Bool {
        if bytesPerPixel == 4 {
            var all: UInt32 = 0
            row.forEachPixel(bytes: 4, count: row.byteCount / 4) { part, at, _ in all |= part.littleEndian32(at: at) }
            return all & mask != 0
        }
        var at = 0
        while at + bytesPerPixel <= row.byteCount {
            var pixel: UInt32 = 0
            for byte in 0..<bytesPerPixel {
                pixel |= UInt32(row.byte(at: at + byte)) &<< UInt32(truncatingIfNeeded: byte * 8)
            }
            if pixel & mask != 0 { return true }
            at += bytesPerPixel
        }
        return false
    }
}
