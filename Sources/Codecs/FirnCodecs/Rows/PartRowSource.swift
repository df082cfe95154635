import FirnImage

/// The rows of a file within a file: its source gets the inner file's bytes, whatever the session passes.
final class PartRowSource: RowSource {
    private let source: any RowSource
    private let part: ByteChain

    init(_ source: any RowSource, _ part: ByteChain) {
        self.source = source
        self.part = part
    }

    var size: PixelSize { source.size }
    var layout: SampleLayout { source.layout }
    var isWhole: Bool { source.isWhole }
    var fillsInOrder: Bool { source.fillsInOrder }
    var hasPreviews: Bool { source.hasPreviews }

    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int
    ) throws(ImageDecodingError) -> RowProgress {
        try source.read(part, into: base, bytesPerRow: bytesPerRow, rows: rows)
    }

    func preview(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) throws(ImageDecodingError) -> Bool {
        try source.preview(part, into: base, bytesPerRow: bytesPerRow)
    }
}

extension ByteChain {
    /// Returns a range of the file as a file of its own. Bytes in memory are not copied; those at rest are read.
    func part(_ range: Range<Int>) -> ByteChain {
        var part = ByteChain(watch: watch)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let piece = piece(at: offset, before: range.upperBound)
            guard !piece.isEmpty else { break }
            part.append(piece)
            offset += piece.count
        }
        part.finish()
        return part
    }
}
