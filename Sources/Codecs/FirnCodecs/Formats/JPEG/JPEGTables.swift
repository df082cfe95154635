import FoundationEssentials

/// The tables, and the distance of restart markers, that segments before a scan define for the scan.
///
/// - Source: ISO/IEC 10918-1 §B.2.4.
struct JPEGTables {
    /// The contents of the ``HuffmanTable``s for DC and for AC coefficients.
    private(set) var dc: [[UInt16]?] = [nil, nil, nil, nil]
    private(set) var ac: [[UInt16]?] = [nil, nil, nil, nil]
    /// The quantization steps, in the order of the file; none of a table that is not defined.
    private(set) var steps: [[Int32]] = [[], [], [], []]
    /// The MCUs from one restart marker to the next; 0 without markers.
    private(set) var restartInterval = 0
    /// True if the frame header has been passed.
    private(set) var hasFrame = false

    /// Reads a marker's segment; returns `false` if it is damaged, or no segment that may precede a scan.
    mutating func take(_ code: UInt8, _ content: Data) -> Bool {
        switch code {
        case JPEGMarker.startOfImage: return !hasFrame
        case _ where JPEGMarker.isFrame(code):
            guard !hasFrame else { return false }
            hasFrame = true
            return true
        case JPEGMarker.huffmanTables: return readCodes([UInt8](content))
        case JPEGMarker.quantizationTables: return readSteps([UInt8](content))
        case JPEGMarker.restartInterval:
            guard content.count == 2 else { return false }
            restartInterval = [UInt8](content).big(0, 2)
            return true
        default: return code == JPEGMarker.comment || JPEGMarker.isApplication(code)
        }
    }

    /// Returns the tables of each component of a scan of all of them, in the order of the frame; `nil` if it is any
    /// other, or lacks some.
    func used(by header: [UInt8], in frame: JPEGFrame) -> [BaselineScan.Tables]? {
        let count = frame.components.count
        guard hasFrame, header.count == 4 + 2 * count, header[0] == UInt8(clamping: count),
            header[1 + 2 * count] == 0, header[2 + 2 * count] == 63, header[3 + 2 * count] == 0
        else { return nil }
        var used: [BaselineScan.Tables] = []
        for (index, component) in frame.components.enumerated() {
            let slots = header[2 + 2 * index]
            guard header[1 + 2 * index] == component.identifier, slots >> 4 < 4, slots & 15 < 4,
                let dc = dc[Int(slots >> 4)], let ac = ac[Int(slots & 15)]
            else { return nil }
            used.append(BaselineScan.Tables(dc: dc, ac: ac, steps: steps[component.quantizationTable]))
        }
        return used
    }

    /// Reads a DHT segment.
    private mutating func readCodes(_ bytes: [UInt8]) -> Bool {
        guard let tables = StatedCodes.tables(in: bytes) else { return false }
        for table in tables {
            let slot = Int(table.slot)
            // A difference of DC coefficients for samples of 8 bits has at most 11 bits (table F.1).
            guard slot < dc.count, let codes = HuffmanTable.content(counts: table.counts, symbols: table.symbols),
                !table.isDC || table.symbols.allSatisfy({ $0 <= 11 })
            else { return false }
            if table.isDC { dc[slot] = codes } else { ac[slot] = codes }
        }
        return true
    }

    /// Reads a DQT segment.
    private mutating func readSteps(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let size = bytes[offset] >> 4 == 0 ? 1 : 2
            let slot = Int(bytes[offset] & 15)
            guard slot < steps.count, bytes[offset] >> 4 <= 1, bytes.count - offset > 64 * size else { return false }
            steps[slot] = (0..<64).map { Int32(clamping: bytes.big(offset + 1 + $0 * size, size)) }
            offset += 1 + 64 * size
        }
        return true
    }
}
