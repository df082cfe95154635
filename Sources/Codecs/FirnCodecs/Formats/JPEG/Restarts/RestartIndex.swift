import FirnImage
import FoundationEssentials

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

    let frame: JPEGFrame
    /// The MCUs of an interval.
    let interval: Int
    /// The MCUs of a row, and their rows.
    let mcusWide: Int
    let mcusHigh: Int
    /// The pixels of an MCU.
    let mcuWidth: Int
    let mcuHeight: Int
    /// The segments that decoding needs, with their markers, before and after the frame header.
    let tables: (before: Data, frameCode: UInt8, frame: Data, after: Data)
    private(set) var starts: [Int]
    private(set) var ends: [Int] = []
    /// True if no further interval can be found.
    private var hasEnded = false

    /// Reads the markers of a complete file up to its scan; `nil` if the file has no restart markers.
    init?(_ chain: ByteChain, _ watch: DecodingWatch) throws(ImageDecodingError) {
        var walk = JPEGMarkerWalk()
        var before = Data()
        var after = Data()
        var header: (code: UInt8, content: Data)?
        var interval = 0
        func add(_ code: UInt8, _ content: Data) {
            let segment = JPEGMarker.segment(code, content)
            if header == nil { before.append(segment) } else { after.append(segment) }
        }
        while case .marker(let code, let content) = walk.next(in: chain) {
            try watch.step()
            switch code {
            case JPEGMarker.startOfScan:
                guard let header, let frame = JPEGFrame(header.content),
                    content.first.map(Int.init) == frame.components.count,
                    interval > 0
                else { return nil }
                let isAlone = frame.components.count == 1
                mcuWidth = isAlone ? 8 : 8 * frame.maximumHorizontal
                mcuHeight = isAlone ? 8 : 8 * frame.maximumVertical
                mcusWide = (frame.width + mcuWidth - 1) / mcuWidth
                mcusHigh = (frame.height + mcuHeight - 1) / mcuHeight
                guard mcusWide * mcusHigh / interval <= RestartIndex.maximumIntervals else { return nil }
                after.append(JPEGMarker.segment(code, content))
                self.frame = frame
                self.interval = interval
                tables = (before, header.code, header.content, after)
                starts = [walk.position]
                return
            case 0xC0, 0xC1:
                guard header == nil else { return nil }
                header = (code, content)
            case _ where JPEGMarker.isFrame(code): return nil
            case JPEGMarker.restartInterval:
                guard content.count == 2 else { return nil }
                interval = content.big(0, 2)
                add(code, content)
            // JFIF and Adobe's marker decide on the color model.
            case JPEGMarker.huffmanTables, JPEGMarker.quantizationTables, 0xE0, 0xEE: add(code, content)
            default: continue
            }
        }
        return nil
    }

    /// True if the intervals divide rows of MCUs, or are made of whole ones; the next two properties hold only then.
    var isGrid: Bool { mcusWide % interval == 0 || interval % mcusWide == 0 }
    /// The intervals of a row of MCUs; 1 if an interval has one or more rows.
    var intervalsPerRow: Int { max(1, mcusWide / interval) }
    /// The rows of MCUs of an interval; 1 if a row has several.
    var rowsPerInterval: Int { max(1, interval / mcusWide) }
    /// The number of intervals in the image.
    var count: Int { (mcusWide * mcusHigh + interval - 1) / interval }

    /// Finds the intervals before `count`; returns whether all of them are there.
    mutating func extend(
        to count: Int, in chain: ByteChain, _ watch: DecodingWatch
    ) throws(ImageDecodingError) -> Bool {
        while ends.count < count, !hasEnded, let start = starts.last {
            var position = max(start, scanned)
            try watch.check()
            let piece = chain.window(at: position)
            guard !piece.isEmpty else {
                hasEnded = true
                break
            }
            let first = position
            scan(piece.bytes, from: &position, to: count, fileOffset: first)
            if position == first, !hasEnded {
                // The piece ends after FF: the code is in the next one.
                guard let code = chain.byte(at: position + 1) else {
                    hasEnded = true
                    break
                }
                take(code, at: &position)
            }
            scanned = position
        }
        return ends.count >= count
    }

    /// The offset up to which markers were looked for.
    private var scanned = 0

    /// Looks for markers in a piece of the file, whose first byte is at `fileOffset`; leaves a last FF.
    private mutating func scan(_ bytes: RawSpan, from position: inout Int, to count: Int, fileOffset: Int) {
        while ends.count < count, !hasEnded {
            let at = position - fileOffset
            guard at < bytes.byteCount else { return }
            let found = bytes.offset(of: 0xFF, from: at) ?? bytes.byteCount
            position = fileOffset + found
            guard found + 1 < bytes.byteCount else { return }
            take(bytes.byte(at: found + 1), at: &position)
        }
    }

    /// Takes the byte after the FF at `position`.
    private mutating func take(_ code: UInt8, at position: inout Int) {
        if code == 0xFF {
            position += 1
        } else if code == 0 {
            position += 2
        } else {
            let isLast = ends.count == count - 1
            ends.append(position)
            if !isLast, code == 0xD0 + UInt8(truncatingIfNeeded: (ends.count - 1) % 8) {
                position += 2
                starts.append(position)
            } else {
                // The marker after the last interval, or damage before it.
                if !isLast { ends.removeLast() }
                hasEnded = true
            }
        }
    }
}
