import FirnImage
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
        codes = QOICodes(isOpaque: !hasAlpha, isBlueFirst: layout == .bgra8, pixelBytes: layout.bytesPerPixel)
    }

    var isWhole: Bool { false }
    var bytesNeeded: Int? { next == size.height ? position : nil }

    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int
    ) throws(ImageDecodingError) -> RowProgress {
        var done = 0
        while done < rows, next < size.height {
            guard fill(base + done * bytesPerRow, chain) else {
                return RowProgress(rows: done, state: .needsBytes)
            }
            done += 1
            next += 1
        }
        return RowProgress(rows: done, state: next == size.height ? .end : .more)
    }

    /// Decodes one row.
    ///
    /// - Returns: whether its bytes have all arrived; if not, the decoded part is kept.
    private func fill(_ target: UnsafeMutableRawPointer, _ chain: ByteChain) -> Bool {
        let rowBytes = size.width * layout.bytesPerPixel
        if begun > 0 {
            row.withUnsafeBytes { kept in
                if let first = kept.baseAddress { target.copyMemory(from: first, byteCount: rowBytes) }
            }
        }
        while begun < size.width {
            let count = min(QOIRowSource.bytesAtOnce, chain.count - position)
            var used = 0
            let before = begun
            if codes.isRunning || count > 0, let bytes = chain.bytes(at: position, count: max(count, 0)) {
                bytes.withUnsafeBytes { begun = codes.pixels($0, &used, from: begun, to: size.width, target) }
            }
            position += used
            if used == 0, begun == before {
                if row.isEmpty { row = [UInt8](repeating: 0, count: rowBytes) }
                row.withUnsafeMutableBytes {
                    $0.copyMemory(from: UnsafeRawBufferPointer(start: target, count: rowBytes))
                }
                return false
            }
        }
        begun = 0
        return true
    }
}
