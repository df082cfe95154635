import FoundationEssentials

/// Decodes the DC coefficients of a progressive JPEG from the first bytes that contain them.
///
/// They form the image at an eighth of its size. Encoders store them first, so about a tenth of the file is enough;
/// between the relevant scans, the decoder only looks for markers. Supports Huffman-coded files of 8 bits with 1 or 3
/// components (SOF2). All rows are complete at once.
///
/// Invariant: the scan that begins sets a plane's `unknownBits`; `scan` is the one that is being decoded.
///
/// - Source: ISO/IEC 10918-1 annex G; §B.2 for the segments.
struct DCDecoder: JPEGRowDecoder {
    static let hasPreviewsOfLibrary = true

    private let frame: JPEGFrame
    private let isRGB: Bool
    private var planes: [DCPlane] = []
    private(set) var bytesNeeded: Int?
    private var walk = JPEGMarkerWalk()
    private var tables = JPEGTables()
    private var scan: DCScan?
    private var passesCodedData = false
    private var image: DCRows?

    init(_ frame: JPEGFrame, isRGB: Bool) {
        self.frame = frame
        self.isRGB = isRGB
    }

    var rows: Int { image?.height ?? 0 }

    mutating func write(_ y: Int, to target: UnsafeMutableRawPointer, _ layout: SampleLayout) {
        image?.write(y, to: target, layout)
    }

    /// The markers read between two pauses: less than a millisecond.
    private static let markersAtOnce = 1_000

    mutating func advance(_ chain: ByteChain) -> JPEGOutcome {
        for _ in 0..<DCDecoder.markersAtOnce {
            if let outcome = scan?.advance(chain, &planes) {
                guard outcome == .end else { return outcome }
                walk.position = scan?.position ?? walk.position
                scan = nil
                // The scan ended at the two bytes of the marker after it.
                if planes.allSatisfy(\.isPrecise) { return complete(walk.position + 2) }
            } else if passesCodedData {
                guard walk.passCodedData(in: chain) else { return chain.isFinished ? .damaged : .needsBytes }
                passesCodedData = false
            }
            switch walk.next(in: chain) {
            case .needsBytes: return .needsBytes
            case .damaged: return .damaged
            case .marker(JPEGMarker.endOfImage, _):
                // The coefficients are as exact as the file stores them.
                return !planes.isEmpty && planes.allSatisfy { $0.unknownBits != nil }
                    ? complete(walk.position) : .damaged
            case .marker(let code, let content):
                let isScan = code == JPEGMarker.startOfScan
                guard isScan ? beginScan([UInt8](content)) : tables.take(code, content) else { return .damaged }
            }
        }
        return .more
    }

    private mutating func complete(_ bytes: Int) -> JPEGOutcome {
        bytesNeeded = bytes
        image = DCRows(frame, planes: &planes, isRGB: isRGB)
        planes = []
        return .end
    }

    /// Begins a scan; returns `false` if it is damaged or unsupported.
    private mutating func beginScan(_ header: [UInt8]) -> Bool {
        guard tables.hasFrame, let count = header.first.map({ Int($0) }), (1...frame.components.count).contains(count),
            header.count == 4 + 2 * count
        else { return false }
        let firstCoefficient = header[1 + 2 * count]
        let lastCoefficient = header[2 + 2 * count]
        let highBit = Int(header[3 + 2 * count] >> 4)
        let lowBit = Int(header[3 + 2 * count] & 15)
        if firstCoefficient > 0 {
            passesCodedData = true
            return count == 1 && firstCoefficient <= lastCoefficient && lastCoefficient < 64
        }
        guard lastCoefficient == 0, lowBit <= 13 else { return false }
        // Order: allocates memory only when there is data for it.
        if planes.isEmpty { planes = frame.components.map { DCPlane($0) } }
        var parts: [DCScan.Part] = []
        for index in 0..<count {
            guard let plane = frame.components.firstIndex(where: { $0.identifier == header[1 + 2 * index] }),
                !parts.contains(where: { $0.plane == plane }),
                let step = tables.steps[frame.components[plane].quantizationTable].first
            else { return false }
            if let unknownBits = planes[plane].unknownBits {
                guard highBit == unknownBits, lowBit == highBit - 1 else { return false }
                parts.append(DCScan.Part(plane: plane, table: nil))
            } else {
                let slot = Int(header[2 + 2 * index] >> 4)
                guard highBit == 0, slot < tables.dc.count, let table = tables.dc[slot] else { return false }
                parts.append(DCScan.Part(plane: plane, table: BlockTable.of(table, isDC: true)))
                planes[plane].step = Int(step)
            }
            planes[plane].unknownBits = lowBit
        }
        let isRefinement = parts.contains { $0.table == nil }
        guard isRefinement == parts.allSatisfy({ $0.table == nil }) else { return false }
        scan = DCScan(
            parts: parts, frame: frame, lowBit: lowBit, isRefinement: isRefinement,
            restartInterval: tables.restartInterval, at: walk.position)
        return scan != nil
    }
}
