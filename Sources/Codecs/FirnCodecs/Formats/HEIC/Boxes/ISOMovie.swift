import FirnImage

/// The tracks of a file that hold an image sequence.
///
/// - Source: ISO/IEC 14496-12 §8.2; ISO/IEC 23008-12 §7, §B.4.
struct ISOMovie {
    /// The limit of tracks that are examined.
    private static let maximumTracks = 64

    /// The units per second of edit lists and of the tracks' durations.
    let timescale: Int
    /// The track that is shown.
    let shown: ISOTrack
    /// The alpha track.
    let alpha: ISOTrack?
    /// True if colors are already multiplied by alpha.
    let isPremultiplied: Bool

    /// Parses the movie of a complete file; `nil` if it has no track of HEVC images, or if its brands say that it is
    /// not an image sequence.
    init?(of chain: ByteChain, limits: ImageLimits) {
        let boxes = ISOBox.boxes(in: 0..<chain.count, of: chain)
        guard let movie = boxes.first("moov") else { return nil }
        let inside = movie.children(of: chain)
        guard let timescale = inside.timescale("mvhd", of: chain) else { return nil }
        self.timescale = timescale
        let tracks = inside.filter { $0.type == "trak" }.prefix(ISOMovie.maximumTracks)
            .compactMap { ISOTrack($0, of: chain, limits: limits) }
        let isSequence = ISOBrands(boxes, chain)?.areOfSequence ?? false
        let candidates = tracks.filter { $0.role == .shown && ($0.handler == "pict" || isSequence) }
        guard let shown = candidates.first(where: \.isEnabled) ?? candidates.first else { return nil }
        self.shown = shown
        alpha = tracks.first { track in
            guard case .alpha(let masters) = track.role else { return false }
            return masters.contains(shown.number)
        }
        isPremultiplied = alpha.map { shown.references["prem"]?.contains($0.number) == true } ?? false
    }
}
