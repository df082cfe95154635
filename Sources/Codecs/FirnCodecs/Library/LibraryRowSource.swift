import CFirnCodecs

/// The rows of a C decoder that has been started.
final class LibraryRowSource: RowSource {
    let size: PixelSize
    let layout: SampleLayout
    let isWhole: Bool
    let fillsInOrder: Bool
    let hasPreviews: Bool
    let bytesNeeded: Int?
    private let decoder: LibraryDecoder
    private let least: Int
    /// Called before rows are read, for a stream that is not complete yet.
    var prepare: ((ByteChain) -> Void)?

    /// - Parameters:
    ///   - end: the first byte after the image, if the file declares it.
    ///   - least: a file with fewer bytes is truncated, even if the decoder has finished the last row before it gets
    ///     the image's last byte, so that the pieces in which a file arrives make no difference. Default: 0.
    init(_ decoder: LibraryDecoder, _ output: firn_output, layout: SampleLayout, end: Int? = nil, least: Int = 0) {
        self.decoder = decoder
        self.layout = layout
        self.least = least
        size = PixelSize(width: Int(output.width), height: Int(output.height))
        isWhole = output.whole
        fillsInOrder = !output.whole || output.in_order
        hasPreviews = output.previews
        bytesNeeded = end ?? (output.bytes_needed == 0 ? nil : Int(clamping: output.bytes_needed))
    }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> RowProgress {
        prepare?(chain)
        var done = 0
        let status = decoder.run(chain) { $0.read(memory, &done) }
        switch status {
        case FIRN_OK: return RowProgress(rows: done, state: .more)
        case FIRN_NEED_DATA: return RowProgress(rows: done, state: .needsBytes)
        case FIRN_END:
            guard chain.count >= least else {
                throw ImageDecodingError(.data, "cut short: \(chain.count) bytes are less than it declares")
            }
            return RowProgress(rows: done, state: .end)
        default: throw decoder.error(status)
        }
    }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> Bool {
        try decoder.hasSucceeded(decoder.runOnce { $0.preview(memory) })
    }
}
