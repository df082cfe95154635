import FirnImage

/// A whole image of another format in a range of a file, which its reader sees as a file.
///
/// Shares the bytes of the range with the file's chain, without a copy.
final class NestedImage {
    /// The reader of the image.
    let reader: any FormatReader
    private let range: Range<Int>
    private var chain: ByteChain

    /// Creates a reader of the JPEG or PNG image in a range of `file`.
    init(_ format: ImageFormat, in range: Range<Int>, of file: ByteChain, limits: ImageLimits, host: DecoderHost) {
        self.range = range
        chain = ByteChain(watch: file.watch)
        reader = format == .jpeg ? JPEGReader(limits: limits, host: host) : PNGReader(limits: limits, host: host)
    }

    /// Passes the received bytes of the range to the reader.
    func scan(_ file: ByteChain) throws(ImageDecodingError) {
        take(file)
        try reader.scan(&chain)
    }

    /// Starts decoding the image.
    func open(_ request: RowRequest, _ file: ByteChain) throws(ImageDecodingError) -> (any RowSource)? {
        try scan(file)
        var request = request
        request.frame = 0
        guard reader.properties != nil, !reader.frames.isEmpty, let source = try reader.openFrame(request, chain)
        else { return nil }
        return PartRowSource(source, at: range.lowerBound) { file in
            self.take(file)
            return self.chain
        }
    }

    private func take(_ file: ByteChain) {
        guard !chain.isFinished else { return }
        file.forEachPiece(in: range.dropFirst(chain.count)) { piece, _ in chain.append(piece) }
        if file.isFinished || range.lowerBound + chain.count >= range.upperBound { chain.finish() }
    }
}
