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

    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int
    ) throws(ImageDecodingError) -> RowProgress {
        let count = max(0, min(rows, size.height - next))
        for row in 0..<count {
            let start = (next + row) * thumbnail.bytesPerRow
            // Safety: the caller provides memory for `rows` rows.
            UnsafeMutableRawBufferPointer(start: base + row * bytesPerRow, count: thumbnail.bytesPerRow)
                .copyBytes(from: thumbnail.bytes[start..<start + thumbnail.bytesPerRow])
        }
        next += count
        return RowProgress(rows: count, state: next < size.height ? .more : .end)
    }
}
