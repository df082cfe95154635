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
