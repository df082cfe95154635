import CFirnCodecs
import FirnImage

/// Reads HEIF: image sequences from their tracks, stills and collections with libheif.
///
/// The kind of file is known only when all its bytes have arrived, because the tables of its tracks may be at the end.
final class HEIFReader: FormatReader {
    let format = ImageFormat.heic
    private let still: LibraryReader
    private let limits: ImageLimits
    /// The reader chosen for the file: the still reader or a sequence reader.
    private var chosen: (any FormatReader)?

    init(limits: ImageLimits, host: DecoderHost = .own) {
        self.limits = limits
        still = LibraryReader(FIRN_CODEC_HEIC, format: .heic, access: .whole, limits: limits, host: host)
    }

    var properties: ImageProperties? { chosen?.properties }
    var frames: [StoredFrame] { chosen?.frames ?? [] }

    func scan(_ chain: inout ByteChain, _ watch: DecodingWatch) throws(ImageDecodingError) {
        guard chain.isFinished else { return }
        if chosen == nil { chosen = try choose(chain) }
        try chosen?.scan(&chain, watch)
    }

    /// Chooses the reader. A file that holds both a sequence and a still is shown as the sequence, unless the sequence
    /// has a single frame or cannot be read.
    private func choose(_ chain: ByteChain) throws(ImageDecodingError) -> any FormatReader {
        guard let movie = ISOMovie(of: chain, limits: limits) else { return still }
        let hasStill = ISOBox.boxes(in: 0..<chain.count, of: chain).first("meta") != nil
        do throws(ImageDecodingError) {
            let sequence = try HEVCSequenceReader(movie, chain, limits: limits)
            return sequence.frames.count == 1 && hasStill ? still : sequence
        } catch {
            // The still replaces a sequence that cannot be read.
            guard hasStill, error.fault != .limit else { throw error }
            return still
        }
    }

    func workingBytes(for request: RowRequest, frame: Int) -> Int {
        chosen?.workingBytes(for: request, frame: frame) ?? 0
    }

    func rowSize(for request: RowRequest, frame: Int) -> PixelSize {
        chosen?.rowSize(for: request, frame: frame) ?? PixelSize(width: 0, height: 0)
    }

    func openFrame(_ index: Int, _ request: RowRequest, _ chain: ByteChain) throws(ImageDecodingError) -> (
        any RowSource
    )? {
        try chosen?.openFrame(index, request, chain)
    }
}
