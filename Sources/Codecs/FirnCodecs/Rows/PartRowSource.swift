import FirnImage

/// The rows of a file within a file, or of one made of a file's parts: its source gets the inner file's bytes.
final class PartRowSource: RowSource {
    private let source: any RowSource
    private let offset: Int?
    private let part: (ByteChain) -> ByteChain

    /// - Parameters:
    ///   - offset: the place of the inner file in the outer one; `nil` (the default) if it is in none.
    ///   - part: returns the bytes of the inner file as far as those of the outer one have been received.
    init(_ source: any RowSource, at offset: Int? = nil, _ part: @escaping (ByteChain) -> ByteChain) {
        self.source = source
        self.offset = offset
        self.part = part
    }

    var size: PixelSize { source.size }
    var layout: SampleLayout { source.layout }
    var isWhole: Bool { source.isWhole }
    var fillsInOrder: Bool { source.fillsInOrder }
    var hasPreviews: Bool { source.hasPreviews }
    var bytesNeeded: Int? { offset.flatMap { offset in source.bytesNeeded.map { offset + $0 } } }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> RowProgress {
        try source.read(part(chain), into: memory)
    }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> Bool {
        try source.preview(part(chain), into: memory)
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
