import FoundationEssentials

/// The frame header of a JPEG of 8 bits per sample, and the grids of blocks that follow from it.
///
/// Every number here is bounded on creation: sides by 65,535, factors by 4, hence a grid by 8,192 + 3 blocks per side.
///
/// - Source: ISO/IEC 10918-1 §B.2.2 for the segment, §A.1.1 and §A.2 for the grids.
struct JPEGFrame {
    /// One color component.
    struct Component {
        let identifier: UInt8
        /// The sampling factors: samples across and down, relative to the other components.
        let horizontal: Int
        let vertical: Int
        let quantizationTable: Int
        /// The blocks that hold samples of the image: those of a scan of this component alone.
        let blocksWide: Int
        let blocksHigh: Int
        /// The blocks of whole MCUs: those of an interleaved scan.
        let paddedBlocksWide: Int
        let paddedBlocksHigh: Int

        /// The samples of a row of the image that this component has if a block gives `parts` in a row.
        func width(parts: Int, of frame: JPEGFrame) -> Int {
            JPEGFrame.parts(of: frame.width * horizontal * parts, by: 8 * frame.maximumHorizontal)
        }
    }

    let width: Int
    let height: Int
    let components: [Component]
    let mcusWide: Int
    let mcusHigh: Int

    /// The size of the image if a block of the component with the highest sampling factors gives `parts × parts`
    /// samples.
    func size(parts: Int) -> PixelSize {
        PixelSize(width: JPEGFrame.parts(of: width * parts, by: 8), height: JPEGFrame.parts(of: height * parts, by: 8))
    }
    /// The blocks of all components, in whole MCUs.
    var blockCount: Int { components.reduce(0) { $0 + $1.paddedBlocksWide * $1.paddedBlocksHigh } }
    /// True if a component has at most half the samples, both across and down, of the component with the most.
    var hasCoarseColor: Bool {
        components.contains { maximumHorizontal >= 2 * $0.horizontal && maximumVertical >= 2 * $0.vertical }
    }
    /// The highest sampling factors.
    let maximumHorizontal: Int
    let maximumVertical: Int
    /// The pixels of an MCU.
    var mcuWidth: Int { 8 * maximumHorizontal }
    var mcuHeight: Int { 8 * maximumVertical }

    /// Parses an SOF segment; `nil` if it is damaged, does not have 1 or 3 components of 8 bits, has a height that
    /// follows later, or has sampling factors that do not divide the highest ones.
    init?(_ segment: Data) {
        let bytes = [UInt8](segment)
        guard bytes.count >= 6, bytes[0] == 8 else { return nil }
        height = bytes.big(1, 2)
        width = bytes.big(3, 2)
        let count = Int(bytes[5])
        guard width > 0, height > 0, count == 1 || count == 3, bytes.count == 6 + 3 * count else { return nil }
        var factors: [(horizontal: Int, vertical: Int)] = []
        for index in 0..<count {
            let packed = Int(bytes[7 + 3 * index])
            guard (1...4).contains(packed >> 4), (1...4).contains(packed & 15), bytes[8 + 3 * index] < 4 else {
                return nil
            }
            factors.append((packed >> 4, packed & 15))
        }
        // An MCU of a single component is one block, whatever factors it has (§A.2.2).
        if count == 1 { factors = [(1, 1)] }
        maximumHorizontal = factors.reduce(1) { max($0, $1.horizontal) }
        maximumVertical = factors.reduce(1) { max($0, $1.vertical) }
        mcusWide = JPEGFrame.parts(of: width, by: 8 * maximumHorizontal)
        mcusHigh = JPEGFrame.parts(of: height, by: 8 * maximumVertical)
        var components: [Component] = []
        for (index, factor) in factors.enumerated() {
            guard maximumHorizontal % factor.horizontal == 0, maximumVertical % factor.vertical == 0 else { return nil }
            let identifier = bytes[6 + 3 * index]
            guard !components.contains(where: { $0.identifier == identifier }) else { return nil }
            components.append(
                Component(
                    identifier: identifier, horizontal: factor.horizontal, vertical: factor.vertical,
                    quantizationTable: Int(bytes[8 + 3 * index]),
                    blocksWide: JPEGFrame.parts(of: width * factor.horizontal, by: 8 * maximumHorizontal),
                    blocksHigh: JPEGFrame.parts(of: height * factor.vertical, by: 8 * maximumVertical),
                    paddedBlocksWide: mcusWide * factor.horizontal, paddedBlocksHigh: mcusHigh * factor.vertical))
        }
        self.components = components
    }

    /// Returns the MCUs of a part of the image, and one more on each side.
    func mcus(around area: PixelArea) -> (columns: ClosedRange<Int>, rows: ClosedRange<Int>) {
        let right = (area.x + area.size.width - 1) / mcuWidth + 1
        let bottom = (area.y + area.size.height - 1) / mcuHeight + 1
        return (
            max(0, area.x / mcuWidth - 1)...min(mcusWide - 1, right),
            max(0, area.y / mcuHeight - 1)...min(mcusHigh - 1, bottom)
        )
    }

    private static func parts(of whole: Int, by part: Int) -> Int { (whole + part - 1) / part }
}

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

    /// Reads a marker's segment; returns `false` if it is damaged or may not precede a scan.
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

    /// Returns the tables of each component of a scan of all components in the order of the frame; `nil` for any other
    /// scan, or if tables are missing.
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
