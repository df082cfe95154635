import FoundationEssentials

/// The start of a sequential JPEG of one scan, which decoding any part of it needs.
struct PartHead {
    let frame: JPEGFrame
    /// The MCUs from one restart marker to the next; 0 without markers.
    let restartInterval: Int
    /// The offset in the file of the coded data.
    let end: Int
    /// The tables of each component, if the scan has all of them in the order of the frame.
    let tables: [BaselineScan.Tables]?
    private var segments: [(code: UInt8, content: Data)]

    /// Reads the markers up to the scan; `nil` if the file is of another kind.
    init?(_ chain: ByteChain) throws(ImageError) {
        var walk = JPEGMarkerWalk()
        var segments: [(code: UInt8, content: Data)] = []
        var parsedFrame: JPEGFrame?
        var tables = JPEGTables()
        while case .marker(let code, let content) = walk.next(in: chain) {
            try chain.watch.step()
            switch code {
            case JPEGMarker.startOfScan:
                guard let frame = parsedFrame, content.first.map(Int.init) == frame.components.count else { return nil }
                self.frame = frame
                self.segments = segments + [(code, content)]
                self.tables = tables.used(by: [UInt8](content), in: frame)
                restartInterval = tables.restartInterval
                end = walk.position
                return
            case JPEGMarker.baselineFrame, JPEGMarker.extendedFrame:
                guard parsedFrame == nil, let frame = JPEGFrame(content) else { return nil }
                parsedFrame = frame
            case _ where JPEGMarker.isFrame(code): return nil
            // JFIF and Adobe's marker decide on the color model.
            case JPEGMarker.huffmanTables, JPEGMarker.quantizationTables, JPEGMarker.restartInterval, 0xE0, 0xEE: break
            default: continue
            }
            guard tables.take(code, content) else { return nil }
            segments.append((code, content))
        }
        return nil
    }

    /// Returns the start of a file of other sides.
    func data(_ size: PixelSize) -> Data {
        segments.reduce(into: Data([0xFF, JPEGMarker.startOfImage])) { data, segment in
            var content = segment.content
            if JPEGMarker.isFrame(segment.code) {
                // They follow the precision. Bound: they are at most those of the frame.
                let sides = content.startIndex + 1
                content.replaceSubrange(
                    sides..<sides + 4, with: size.height.bigEndianBytes(2) + size.width.bigEndianBytes(2))
            }
            data.append(JPEGMarker.segment(segment.code, content))
        }
    }

    /// Returns the start of a file with a restart marker after every `interval` MCUs, in which all differences of DC
    /// coefficients have codes, and those of each component; `nil` if there is no room for them.
    ///
    /// An encoder may leave out codes of differences that it does not write.
    func restarting(every interval: Int) -> (head: PartHead, codes: [StatedCodes])? {
        var head = self
        var stated: [UInt8: StatedCodes] = [:]
        head.segments = []
        for (code, content) in segments where code != JPEGMarker.restartInterval {
            guard code == JPEGMarker.huffmanTables else {
                head.segments.append((code, content))
                continue
            }
            guard let tables = StatedCodes.tables(in: [UInt8](content)) else { return nil }
            var bytes: [UInt8] = []
            for table in tables {
                guard let whole = table.isDC ? table.completed() : table else { return nil }
                if table.isDC { stated[table.slot] = whole }
                bytes += whole.bytes
            }
            guard bytes.count < 1 << 16 - 2 else { return nil }
            head.segments.append((code, Data(bytes)))
        }
        guard let scan = head.segments.popLast() else { return nil }
        head.segments.append((JPEGMarker.restartInterval, Data(interval.bigEndianBytes(2))))
        head.segments.append(scan)
        // Bound: the scan's header was read with its tables.
        let header = [UInt8](scan.content)
        let codes = frame.components.indices.compactMap { stated[header[2 + 2 * $0] >> 4] }
        return codes.count == frame.components.count ? (head, codes) : nil
    }
}

/// A Huffman table as a file states it.
///
/// - Source: ISO/IEC 10918-1 §B.2.4.2, annex C.
struct StatedCodes {
    let isDC: Bool
    let slot: UInt8
    /// The number of codes of each length from 1 to 16.
    private(set) var counts: [UInt8]
    private(set) var symbols: [UInt8]

    /// Reads a DHT segment; `nil` if it is cut short.
    static func tables(in segment: [UInt8]) -> [StatedCodes]? {
        var tables: [StatedCodes] = []
        var offset = 0
        while offset < segment.count {
            guard segment.count - offset >= 17 else { return nil }
            let counts = Array(segment[offset + 1..<offset + 17])
            let total = counts.reduce(0) { $0 + Int($1) }
            guard total <= 256, total <= segment.count - offset - 17 else { return nil }
            tables.append(
                StatedCodes(
                    isDC: segment[offset] >> 4 == 0, slot: segment[offset] & 15, counts: counts,
                    symbols: Array(segment[offset + 17..<offset + 17 + total])))
            offset += 17 + total
        }
        return tables
    }

    /// The table in a segment.
    var bytes: [UInt8] { [(isDC ? 0 : 16) | slot] + counts + symbols }

    /// Adds codes for the sizes of differences that have none. They are longer than all others, which stay as they are.
    ///
    /// - Returns: `nil` if no codes are left.
    func completed() -> StatedCodes? {
        let missing = (UInt8(0)...11).filter { !symbols.contains($0) }
        guard !missing.isEmpty, let longest = counts.lastIndex(where: { $0 > 0 }) else {
            return missing.isEmpty ? self : nil
        }
        var code = 0
        for count in counts[...longest] { code = code << 1 + Int(count) }
        var left = 2 << longest - code
        var table = self
        for length in longest + 1..<16 {
            left *= 2
            // No code may be all ones.
            guard left > missing.count else { continue }
            table.counts[length] = UInt8(clamping: missing.count)
            table.symbols += missing
            return table
        }
        return nil
    }

    /// The code of each symbol, and its length.
    var codes: [UInt8: (bits: Int, length: Int)] {
        var codes: [UInt8: (bits: Int, length: Int)] = [:]
        var (code, place) = (0, 0)
        for (index, count) in counts.enumerated() {
            for symbol in symbols[place..<place + Int(count)] {
                codes[symbol] = (code, index + 1)
                code += 1
            }
            place += Int(count)
            code <<= 1
        }
        return codes
    }
}
