import FirnImage

/// The start of a JPEG, up to the end of its frame header.
struct JPEGHead {
    /// The offset in the file after the frame header.
    let end: Int
    /// The frame, if its DC coefficients can be decoded alone (see ``DCDecoder``).
    let progressiveFrame: JPEGFrame?
    /// The frame, if its blocks may be decoded to single samples (see ``BaselineDecoder``).
    let sequentialFrame: JPEGFrame?

    /// Walks the markers of a file to its frame header; `nil` if there is none in regular order.
    init?(_ chain: ByteChain, _ watch: DecodingWatch) throws(ImageDecodingError) {
        var walk = JPEGMarkerWalk()
        while case .marker(let code, let content) = walk.next(in: chain) {
            try watch.step()
            guard JPEGMarker.isFrame(code) else { continue }
            end = walk.position
            let frame = JPEGFrame(content)
            progressiveFrame = code == JPEGMarker.progressiveFrame ? frame : nil
            sequentialFrame = code == JPEGMarker.baselineFrame || code == JPEGMarker.extendedFrame ? frame : nil
            return
        }
        return nil
    }
}
