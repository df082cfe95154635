import FirnImage

/// The rows of one frame of an animated PNG, whose chunks may still come.
final class PNGFrameRowSource: RowSource {
    private let rows: LibraryRowSource
    private let decoder: LibraryDecoder
    private let frame: Int
    private let reader: PNGReader
    /// How many of the frame's chunks the decoder's stream has.
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
