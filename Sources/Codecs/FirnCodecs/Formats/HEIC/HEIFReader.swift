import CFirnCodecs

/// Reads HEIF: image sequences from their tracks, stills and collections with libheif.
///
/// The kind of file is known only when all its bytes have arrived, because the tables of its tracks may be at the end.
final class HEIFReader: ChoosingReader, FormatReader {
    let format = ImageFormat.heic
    private lazy var still = library()
    /// The grid of the primary image, once it was looked for; its value is `nil` if there is none.
    private var grid: HEIFGrid??
    /// The working memory of the still reader, by the sizes in its streams.
    private var stillBytes = 0

    private func library() -> LibraryReader {
        LibraryReader(FIRN_CODEC_HEIC, format: .heic, access: .whole, limits: limits, host: host)
    }

    func scan(_ chain: inout ByteChain) throws(ImageError) {
        guard chain.isFinished else { return }
        if chosen == nil {
            chosen = try choose(chain)
            if chosen === still { stillBytes = HEVCParameters.stillBytes(of: chain) }
        }
        if chosen === still {
            var images = HEIFReader.withoutTracks(chain)
            try still.scan(&images)
        }
        properties = chosen?.properties
        frames = chosen?.frames ?? []
    }

    /// Returns the file for libheif: without its tracks and their brands. Since version 1.20, libheif refuses files
    /// with a damaged track, even if only stills are requested.
    private static func withoutTracks(_ chain: ByteChain) -> ByteChain {
        let boxes = ISOBox.boxes(in: 0..<chain.count, of: chain)
        guard boxes.first("moov") != nil else { return chain }
        var images = chain
        for box in boxes where box.type == "moov" {
            images.replace(at: box.typeOffset, with: FourCharacterCode("free").bytes)
        }
        ISOBrands(boxes, chain)?.replaceSequences(in: &images)
        return images
    }

    /// Chooses the reader. A file with a sequence and a still is shown as the sequence, unless the sequence has a
    /// single frame or cannot be decoded.
    private func choose(_ chain: ByteChain) throws(ImageError) -> any FormatReader {
        guard let movie = ISOMovie(of: chain, limits: limits) else { return still }
        let hasStill = ISOBox.boxes(in: 0..<chain.count, of: chain).first("meta") != nil
        do throws(ImageError) {
            let sequence = try HEVCSequenceReader(movie, chain, limits: limits, host: host)
            guard hasStill else { return sequence }
            if sequence.frames.count == 1 { return still }
            try sequence.decodeFirst(chain)
            return sequence
        } catch {
            // The still replaces a sequence that cannot be decoded.
            guard hasStill, error.fault != .limit, error.fault != .cancelled else { throw error }
            return still
        }
    }

    func page(_ index: Int, _ chain: ByteChain) throws(ImageError) -> ImageProperties? {
        guard chosen === still else { return properties }
        return try still.page(index, HEIFReader.withoutTracks(chain))
    }

    func gainMap(_ chain: ByteChain) -> StoredGainMap? {
        chosen === still ? still.gainMap(HEIFReader.withoutTracks(chain)) : nil
    }

    override func workingBytes(for request: RowRequest) -> Int { max(super.workingBytes(for: request), stillBytes) }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        guard chosen === still else { return try chosen?.openFrame(request, chain) }
        let images = HEIFReader.withoutTracks(chain)
        if let rows = try gridRows(request, images) { return rows }
        return try still.openFrame(request, images)
    }

    /// Returns the rows of a part of a grid from the cells that it needs; `nil` if there is no grid that helps.
    private func gridRows(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        // Alpha has cells of its own, which are not supported.
        guard request.frame == 0, let area = request.area, let frame = still.frames.first, !frame.hasAlpha
        else { return nil }
        if grid == nil { grid = .some(HEIFGrid(chain)) }
        guard let grid = grid ?? nil, grid.orientation.displaySize(of: grid.size) == frame.size,
            let part = HEIFGridPart(area, of: grid, chain)
        else { return nil }
        let reader = library()
        var patched = part.chain
        // A file that cannot be read in this form may be readable as a whole.
        guard (try? reader.scan(&patched)) != nil, reader.frames.first?.size == part.size else {
            return nil
        }
        var request = request
        request.area = part.area
        return try reader.openFrame(request, patched)
    }
}
