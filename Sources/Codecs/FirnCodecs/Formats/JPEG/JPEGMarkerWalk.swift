import FoundationEssentials

/// Walks over the markers of a JPEG, as far as its bytes have arrived.
///
/// Invariant: `position` is the expected offset of a marker, or, while skipping coded data, an offset inside them.
///
/// - Source: ISO/IEC 10918-1 §B.1.1.
struct JPEGMarkerWalk {
    /// The result of a step.
    enum Step {
        /// A marker; `content` is the content of its segment, empty for a marker without one.
        case marker(UInt8, content: Data)
        /// The next bytes have not arrived.
        case needsBytes
        /// A marker is missing.
        case damaged
    }

    /// The offset in the file of the next byte to read.
    var position = 0

    /// Reads the marker at `position`, and its segment, and advances past them.
    mutating func next(in chain: ByteChain) -> Step {
        var offset = position
        guard let first = chain.byte(at: offset) else { return waiting(chain) }
        guard first == 0xFF else { return .damaged }
        // Any number of fill bytes may precede a marker; they are skipped once.
        guard let behind = chain.offset(from: offset, ofFirstOtherThan: 0xFF), let code = chain.byte(at: behind) else {
            position = max(position, chain.count - 1)
            return waiting(chain)
        }
        offset = behind + 1
        guard code != 0 else { return .damaged }
        if JPEGMarker.standsAlone(code) {
            position = offset
            return .marker(code, content: Data())
        }
        guard let length = chain.big(offset, 2) else { return waiting(chain) }
        guard length >= 2 else { return .damaged }
        guard let content = chain.bytes(at: offset + 2, count: length - 2) else { return waiting(chain) }
        position = offset + length
        return .marker(code, content: content)
    }

    /// Passes the segments from `position` on to `body` with their places, up to the first scan: at most 100, more than
    /// any program writes before it.
    mutating func forEachSegment(in chain: ByteChain, _ body: (_ code: UInt8, Data, _ place: Int) -> Void) {
        for _ in 0..<100 {
            guard case .marker(let code, let content) = next(in: chain), code != JPEGMarker.startOfScan else { return }
            body(code, content, position - content.count)
        }
    }

    /// Skips coded data up to the marker after them; returns `false` while it has not arrived.
    ///
    /// - Parameter passes: returns whether to skip the marker of a code, which is at an offset in the file; restart
    ///   markers, unless it is given.
    mutating func passCodedData(
        in chain: ByteChain,
        passing passes: (_ code: UInt8, _ offset: Int) -> Bool = { code, _ in JPEGMarker.isRestart(code) }
    ) -> Bool {
        while true {
            let piece = chain.window(at: position)
            guard !piece.isEmpty else { return false }
            let bytes = piece.bytes
            let start = position
            var index = 0
            while let found = bytes.offset(of: 0xFF, from: index) {
                position = start + found
                // The code may be the first byte after the window.
                let isInside = found + 1 < bytes.byteCount
                guard let code = isInside ? bytes.byte(at: found + 1) : chain.byte(at: position + 1) else {
                    return false
                }
                // A stuffed zero belongs to the data; the last of several FF may begin a marker.
                guard code == 0xFF || code == 0 || passes(code, position) else { return true }
                index = found + (code == 0xFF ? 1 : 2)
            }
            position = start + max(index, bytes.byteCount)
        }
    }

    /// Returns whether a file that has arrived whole holds the end of its image. Bytes may follow it.
    static func reachesEnd(of chain: ByteChain) -> Bool {
        // Order: most files end with this marker, and need no walk over their coded data.
        if chain.big(chain.count - 2, 2) == 0xFFD9 { return true }
        var walk = JPEGMarkerWalk()
        while case .marker(let code, _) = walk.next(in: chain) {
            if code == JPEGMarker.endOfImage { return true }
            if code == JPEGMarker.startOfScan, !walk.passCodedData(in: chain) { return false }
        }
        // libjpeg skips what is no marker, as far as the next one.
        return walk.findsEnd(in: chain)
    }

    /// Returns whether the end marker follows anywhere.
    private func findsEnd(in chain: ByteChain) -> Bool {
        var position = position
        var isMarker = false
        while true {
            let piece = chain.piece(at: position)
            if piece.isEmpty { return false }
            for byte in piece {
                if isMarker, byte == JPEGMarker.endOfImage { return true }
                isMarker = byte == 0xFF
            }
            position += piece.count
        }
    }

    private func waiting(_ chain: ByteChain) -> Step { chain.isFinished ? .damaged : .needsBytes }
}

/// The codes of markers.
///
/// - Source: ISO/IEC 10918-1 table B.1.
enum JPEGMarker {
    /// Returns a marker with its segment. The content is at most 65,533 bytes long.
    static func segment(_ code: UInt8, _ content: some Collection<UInt8>) -> Data {
        Data([0xFF, code] + (content.count + 2).bigEndianBytes(2)) + content
    }

    static let startOfImage: UInt8 = 0xD8
    static let endOfImage: UInt8 = 0xD9
    static let baselineFrame: UInt8 = 0xC0
    static let extendedFrame: UInt8 = 0xC1
    static let progressiveFrame: UInt8 = 0xC2
    static let huffmanTables: UInt8 = 0xC4
    static let quantizationTables: UInt8 = 0xDB
    static let restartInterval: UInt8 = 0xDD
    static let startOfScan: UInt8 = 0xDA
    static let comment: UInt8 = 0xFE
    /// The application segments. Some have several uses, which their names tell apart.
    static let jfif: UInt8 = 0xE0
    static let exif: UInt8 = 0xE1
    static let profile: UInt8 = 0xE2
    static let photoshop: UInt8 = 0xED
    static let adobe: UInt8 = 0xEE
    /// The names at the start of segments.
    static let exifName = Array("Exif\0\0".utf8)
    static let xmpName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    static let extensionName = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
    static let photoshopName = Array("Photoshop 3.0\0".utf8)
    static let indexName = Array("MPF\0".utf8)

    /// Returns whether the marker is a frame header: SOF0 to SOF15, without DHT, JPG and DAC, whose codes lie between.
    static func isFrame(_ code: UInt8) -> Bool {
        (0xC0...0xCF).contains(code) && code != 0xC4 && code != 0xC8 && code != 0xCC
    }
    static func isRestart(_ code: UInt8) -> Bool { (0xD0...0xD7).contains(code) }
    static func isApplication(_ code: UInt8) -> Bool { (0xE0...0xEF).contains(code) }
    /// Returns whether the marker has no segment.
    static func standsAlone(_ code: UInt8) -> Bool { (0xD0...0xD9).contains(code) || code == 0x01 }
}
