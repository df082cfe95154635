import FirnImage

/// The rows of an embedded thumbnail.
final class EmbeddedRowSource: RowSource {
    private let thumbnail: EmbeddedThumbnail
    let layout: SampleLayout
    let isWhole = false
    let bytesNeeded: Int?
    private var next = 0

    init(_ thumbnail: EmbeddedThumbnail, layout: SampleLayout, bytesNeeded: Int?) {
        self.thumbnail = thumbnail
        self.layout = layout
        self.bytesNeeded = bytesNeeded
    }

    var size: PixelSize { thumbnail.size }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> RowProgress {
        let count = max(0, min(memory.rows, size.height - next))
        for row in 0..<count {
            let start = (next + row) * thumbnail.bytesPerRow
            memory.row(row).copyBytes(from: thumbnail.bytes[start..<start + thumbnail.bytesPerRow])
        }
        next += count
        return RowProgress(rows: count, state: next < size.height ? .more : .end)
    }
}
