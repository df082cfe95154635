/// The places of the restart intervals of a sequential JPEG of one scan, found as far as they were needed.
///
/// A restart marker ends a byte and resets the predictions, so decoding can start after any of them. An encoder writes
/// the markers' numbers 0 to 7 in turn; where they do not follow each other, the file is damaged and the index ends.
///
/// Invariant: `starts[i]` is the offset of interval i's first byte; `ends[i]` of the marker after it.
///
/// - Source: ISO/IEC 10918-1 §B.2.1, §B.2.4.4, §E.1.4.
struct RestartIndex {
    /// More intervals than this are not indexed: a gigapixel of them at one for every MCU would take half a gigabyte.
    private static let maximumIntervals = 1 << 20

    let head: PartHead
    private(set) var starts: [Int]
    private(set) var ends: [Int] = []
    /// True if no further interval can be found.
    private var hasEnded = false
    /// The way through the intervals.
    private var walk: JPEGMarkerWalk

    /// - Parameter head: the start of a complete file; `nil` if that has no restart markers.
    init?(_ head: PartHead) {
        let frame = head.frame
        guard head.restartInterval > 0,
            frame.mcusWide * frame.mcusHigh / head.restartInterval <= RestartIndex.maximumIntervals
        else { return nil }
        self.head = head
        starts = [head.end]
        walk = JPEGMarkerWalk()
    }

    var frame: JPEGFrame { head.frame }
    /// The MCUs of an interval.
    var interval: Int { head.restartInterval }
    /// True if the intervals divide rows of MCUs, or are made of whole ones; the next two properties hold only then.
    var isGrid: Bool { frame.mcusWide % interval == 0 || interval % frame.mcusWide == 0 }
    /// The intervals of a row of MCUs; 1 if an interval has one or more rows.
    var intervalsPerRow: Int { max(1, frame.mcusWide / interval) }
    /// The rows of MCUs of an interval; 1 if a row has several.
    var rowsPerInterval: Int { max(1, interval / frame.mcusWide) }
    /// The number of intervals in the image.
    var count: Int { (frame.mcusWide * frame.mcusHigh + interval - 1) / interval }

    /// Finds the intervals before `count`; returns whether all of them are there.
    mutating func extend(to count: Int, in chain: ByteChain) throws(ImageDecodingError) -> Bool {
        guard ends.count < count, !hasEnded, let start = starts.last else { return ends.count >= count }
        var walk = walk
        walk.position = max(walk.position, start)
        let isFound = walk.passCodedData(in: chain) { code, offset in
            // The marker after the last interval, or damage before it.
            let isLast = ends.count == self.count - 1
            hasEnded = isLast || code != 0xD0 + UInt8(truncatingIfNeeded: ends.count % 8)
            if isLast || !hasEnded { ends.append(offset) }
            if !hasEnded { starts.append(offset + 2) }
            return !hasEnded && ends.count < count
        }
        // Order: after the end of a call, bytes seem to be missing.
        try chain.watch.check()
        self.walk = walk
        hasEnded = hasEnded || !isFound
        return ends.count >= count
    }
}
