import FirnImage

/// The rows of one frame of an animated PNG, some of whose chunks may not have arrived yet.
final class PNGFrameRowSource: RowSource {
    private let rows: LibraryRowSource
    private let decoder: LibraryDecoder
    private let frame: Int
    private let reader: PNGReader
    /// The number of the frame's chunks in the decoder's stream.
    private var chunks: Int

    init(_ rows: LibraryRowSource, _ decoder: LibraryDecoder, frame: Int, chunks: Int, of reader: PNGReader) {
        self.rows = rows
        self.decoder = decoder
        self.frame = frame
        self.chunks = chunks
        self.reader = reader
    }

    var size: PixelSize { rows.size }
    var layout: SampleLayout { rows.layout }
    var isWhole: Bool { rows.isWhole }

    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows count: Int
    ) throws(ImageDecodingError) -> RowProgress {
        if !decoder.stream.isComplete {
            let (parts, isLast) = reader.chunks(of: frame, after: chunks, chain)
            for chunk in parts { decoder.stream.parts.append(contentsOf: chunk) }
            chunks += parts.count
            decoder.stream.isComplete = isLast
        }
        return try rows.read(chain, into: base, bytesPerRow: bytesPerRow, rows: count)
    }
}
