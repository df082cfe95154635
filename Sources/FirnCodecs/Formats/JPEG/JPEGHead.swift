import FirnImage

/// The start of a JPEG, up to the end of its frame header.
struct JPEGHead {
    /// The offset in the file after the frame header.
    let end: Int
    /// The frame, if its DC coefficients can be decoded alone (see ``DCDecoder``).
    let progressiveFrame: JPEGFrame?

    /// Walks the markers of a file to its frame header; `nil` if there is none in regular order.
    init?(_ chain: ByteChain, _ watch: DecodingWatch) throws(ImageDecodingError) {
        var walk = JPEGMarkerWalk()
        var pace = ScanPace()
        while case .marker(let code, let content) = walk.next(in: chain) {
            try pace.step(watch)
            guard JPEGMarker.isFrame(code) else { continue }
            end = walk.position
            progressiveFrame = code == JPEGMarker.progressiveFrame ? JPEGFrame(content) : nil
            return
        }
        return nil
    }
}
