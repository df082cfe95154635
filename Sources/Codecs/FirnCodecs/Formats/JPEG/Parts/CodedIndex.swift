import FoundationEssentials

/// Places in the coded data of a sequential JPEG without restart markers at which decoding can begin: the start of each
/// row of MCUs, and every 16 MCUs in it.
///
/// An entry has 14 bytes, least significant first: the place of the first bit in the file, eight times the offset of
/// its byte plus its place in that; for each of three components the DC coefficient of the block before. The last
/// entry is the place after the last MCU. An image of 100 megapixels has 25,000 entries.
///
/// - Source: ISO/IEC 10918-1 §F.1.1.5 (prediction of DC coefficients).
struct CodedIndex {
    /// The MCUs of an interval. The last one of a row may have fewer.
    static let interval = 16
    private static let bytesOfEntry = 14

    /// The intervals of a row.
    let intervalsPerRow: Int
    private let data: Data

    /// - Returns: `nil` if the data are those of an image of another size.
    init?(_ data: Data, of frame: JPEGFrame) {
        guard data.count == CodedIndex.byteCount(frame) else { return nil }
        intervalsPerRow = CodedIndex.intervalsPerRow(frame.mcusWide)
        self.data = data
    }

    /// The bytes of the index of an image.
    static func byteCount(_ frame: JPEGFrame) -> Int {
        (intervalsPerRow(frame.mcusWide) * frame.mcusHigh + 1) * bytesOfEntry
    }

    static func intervalsPerRow(_ mcusWide: Int) -> Int { (mcusWide + interval - 1) / interval }

    /// The place of an interval; after the last one, that of the end.
    func place(_ number: Int) -> Int { data.little(number * CodedIndex.bytesOfEntry, 7) }

    /// The DC coefficients that an interval's first blocks are coded as differences from.
    func predictions(_ number: Int) -> [Int] {
        (0..<3).map { component in
            Int(Int16(truncatingIfNeeded: data.little(number * CodedIndex.bytesOfEntry + 8 + 2 * component, 2)))
        }
    }
}

/// Makes a ``CodedIndex`` of the places that a scan passes.
final class CodedIndexBuilder {
    private var bytes: [UInt8] = []
    private var count = 0
    /// True if a place was not known.
    private var isLost = false
    private var isComplete = false

    /// The index; `nil` unless the scan reached its end in regular order.
    var index: Data? { isComplete ? Data(bytes) : nil }

    /// Records the place before the next MCU if an interval starts there.
    ///
    /// - Returns: the number of the MCU at which the next interval begins.
    func note(_ walk: MCUWalk, _ predictions: BlockCoding.Predictions) -> Int {
        let row = walk.mcu / walk.width
        let column = walk.mcu - row * walk.width
        let number = row * CodedIndex.intervalsPerRow(walk.width) + column / CodedIndex.interval
        if number == count, column % CodedIndex.interval == 0 { append(walk.place, predictions) }
        return row * walk.width + min((column / CodedIndex.interval + 1) * CodedIndex.interval, walk.width)
    }

    /// Records the place after the last MCU, and completes the index.
    func complete(_ walk: MCUWalk) {
        append(walk.endPlace, nil)
        isComplete = !isLost
    }

    private func append(_ place: Int?, _ predictions: BlockCoding.Predictions?) {
        isLost = isLost || place == nil
        append(place ?? 0, count: 8)
        for component in 0..<3 { append(predictions?[component] ?? 0, count: 2) }
        count += 1
    }

    private func append(_ number: Int, count: Int) {
        for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }
}

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
    /// The walk through the intervals.
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

    /// Finds the intervals before `count`; returns whether all exist.
    mutating func extend(to count: Int, in chain: ByteChain) throws(ImageError) -> Bool {
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
