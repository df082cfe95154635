import FoundationEssentials

/// The tables, and the distance of restart markers, that segments before a scan define for the scan.
///
/// - Source: ISO/IEC 10918-1 §B.2.4.
struct JPEGTables {
    private(set) var dc: [HuffmanTable?] = [nil, nil, nil, nil]
    private(set) var ac: [HuffmanTable?] = [nil, nil, nil, nil]
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
        case JPEGMarker.huffmanTables: return HuffmanTable.read(content, dc: &dc, ac: &ac)
        case JPEGMarker.quantizationTables: return readSteps([UInt8](content))
        case JPEGMarker.restartInterval:
            guard content.count == 2 else { return false }
            restartInterval = [UInt8](content).big(0, 2)
            return true
        default: return code == JPEGMarker.comment || JPEGMarker.isApplication(code)
        }
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
