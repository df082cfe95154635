import FirnSync

/// The rows of a run-length encoded bitmap, strip by strip.
final class RunLengthRowSource: RowSource {
    let layout: SampleLayout
    private let header: DIBHeader
    private let pixelBytes: Int
    private var index: RunLengthIndex
    private var packer: DIBRowPacker?
    /// The strip decoded last, one or three bytes per pixel.
    private var strip: [UInt8] = []
    private var stripNumber: Int?
    private var next = 0
    private var rowsShown = 0

    init(_ header: DIBHeader, layout: SampleLayout) {
        var header = header
        // The packer converts the strip's values, one byte each, or three with 24 bits.
        header.bitsPerPixel = header.compression == .runs24 ? 24 : 8
        self.header = header
        self.layout = layout
        pixelBytes = header.bitsPerPixel / 8
        index = RunLengthIndex(header)
    }

    var size: PixelSize { header.size }
    var hasPreviews: Bool { !header.isTopDown }
    var bytesNeeded: Int? { index.position }

    /// Returns the bytes of a strip, clamped on overflow.
    static func stripBytes(_ header: DIBHeader) -> Int {
        let rows = min(RunLengthIndex(header).rowsPerStrip, header.size.height)
        return header.size.width.saturatingMultiply(rows * 3)
    }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> RowProgress {
        guard next < size.height else { return RowProgress(rows: 0, state: .end) }
        let state = index.advance(chain)
        // In a bottom-up file, the first row is known when all are.
        let known = header.isTopDown ? index.rowsReached : index.isComplete ? size.height : 0
        let count = min(memory.rows, known - next)
        guard count > 0 else { return RowProgress(rows: 0, state: state ?? .needsBytes) }
        for row in 0..<count { writeRow(next + row, chain, to: memory.row(row)) }
        next += count
        return RowProgress(rows: count, state: next == size.height ? .end : .more)
    }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> Bool {
        _ = index.advance(chain)
        let there = index.rowsReached
        guard there > 0 else { return false }
        stripNumber = nil
        for y in size.height - there..<size.height { writeRow(y, chain, to: memory.row(y)) }
        stripNumber = nil
        defer { rowsShown = there }
        return there > rowsShown || chain.isFinished
    }

    /// Writes row `y`, which is known.
    private func writeRow(_ y: Int, _ chain: ByteChain, to target: UnsafeMutableRawBufferPointer) {
        let packer = self.packer ?? DIBRowPacker(header, chain, layout: layout, isOpaque: true)
        self.packer = packer
        let stored = header.isTopDown ? y : size.height - 1 - y
        let number = stored / index.rowsPerStrip
        if stripNumber != number {
            // The width times the rows of a strip is about the image's pixels divided by 4,096, or 16 rows: both were
            // checked against the limit.
            strip = [UInt8](repeating: 0, count: size.width * pixelBytes * min(index.rowsPerStrip, size.height))
            var values = strip.mutableSpan
            index.decode(strip: number, chain, to: &values)
            stripNumber = number
        }
        let rowBytes = size.width * pixelBytes
        let start = (stored - number * index.rowsPerStrip) * rowBytes
        let strip = strip
        packer.pack(strip.span.bytes.extracting(start..<start + rowBytes), to: target)
    }
}
