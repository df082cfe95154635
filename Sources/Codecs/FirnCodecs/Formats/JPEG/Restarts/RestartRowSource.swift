import CFirnCodecs
import FirnImage

/// The rows of a part of a JPEG, decoded from the restart intervals that it needs.
final class RestartRowSource: RowSource {
    private let rows: any RowSource
    private let chain: ByteChain

    /// - Returns: `nil` if the library needs something of the file that the part lacks.
    init?(
        _ part: RestartPart, _ request: RowRequest, _ watch: DecodingWatch, limits: ImageLimits, host: DecoderHost
    ) throws(ImageDecodingError) {
        var chain = ByteChain(watch: watch)
        chain.append(part.data)
        chain.finish()
        let reader = LibraryReader(FIRN_CODEC_JPEG, format: .jpeg, access: .forwards, limits: limits, host: host)
        try reader.scan(&chain, watch)
        var request = request
        request.area = part.area
        guard let rows = try reader.openFrame(0, request, chain) else { return nil }
        self.rows = rows
        self.chain = chain
    }

    var size: PixelSize { rows.size }
    var layout: SampleLayout { rows.layout }
    var isWhole: Bool { rows.isWhole }

    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows count: Int
    ) throws(ImageDecodingError) -> RowProgress {
        try rows.read(self.chain, into: base, bytesPerRow: bytesPerRow, rows: count)
    }
}
