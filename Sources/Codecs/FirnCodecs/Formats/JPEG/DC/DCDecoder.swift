import FoundationEssentials

/// Decodes the DC coefficients of a progressive JPEG from the first bytes that contain them.
///
/// They form the image at an eighth of its size. Encoders store them first, so about a tenth of the file is enough;
/// between the relevant scans, the decoder only looks for markers. Supports Huffman-coded files of 8 bits with 1 or 3
/// components (SOF2). Any other or damaged file is ``Outcome/unsuitable``, and a full decoder decides about it.
///
/// Invariant: the scan that begins sets a plane's `unknownBits`; `scan` is the one that is being decoded.
///
/// - Source: ISO/IEC 10918-1 annex G; §B.2 for the segments.
struct DCDecoder {
    enum Outcome {
        case needsBytes
        /// A pause, in which the caller may check for cancellation.
        case pause
        /// All planes are precise enough.
        case complete
        case unsuitable
    }

    private(set) var frame: JPEGFrame?
    private var planes: [DCPlane] = []
    /// The number of first bytes of the file that were needed, once complete.
    private(set) var bytesNeeded: Int?
    private var walk = JPEGMarkerWalk()
    private var codes: [HuffmanTable?] = [nil, nil, nil, nil]
    /// Read, but not used.
    private var codesOfAC: [HuffmanTable?] = [nil, nil, nil, nil]
    private var steps: [Int?] = [nil, nil, nil, nil]
    private var restartInterval = 0
    private var scan: DCScan?
    private var passesCodedData = false
    private var outcome = Outcome.needsBytes

    /// Decodes as far as the received bytes allow.
    mutating func advance(_ chain: ByteChain) -> Outcome {
        switch outcome {
        case .needsBytes, .pause: outcome = read(chain)
        case .complete, .unsuitable: break
        }
        return outcome
    }

    /// The markers read between two pauses: less than a millisecond.
    private static let markersAtOnce = 1_000

    private mutating func read(_ chain: ByteChain) -> Outcome {
        for _ in 0..<DCDecoder.markersAtOnce {
            if scan != nil {
                switch scan?.advance(chain, &planes) {
                case .needsBytes: return .needsBytes
                case .pause: return .pause
                case .end: break
                case .damaged, nil: return .unsuitable
                }
                walk.position = scan?.position ?? walk.position
                scan = nil
                // The scan ended at the two bytes of the marker after it.
                if planes.allSatisfy(\.isPrecise) { return complete(walk.position + 2) }
            } else if passesCodedData {
                guard walk.passCodedData(in: chain) else { return chain.isFinished ? .unsuitable : .needsBytes }
                passesCodedData = false
            }
            switch walk.next(in: chain) {
            case .needsBytes: return .needsBytes
            case .damaged: return .unsuitable
            case .marker(JPEGMarker.endOfImage, _):
                // The coefficients are as exact as the file stores them.
                return !planes.isEmpty && planes.allSatisfy { $0.unknownBits != nil }
                    ? complete(walk.position) : .unsuitable
            case .marker(let code, let content):
                guard take(code, content) else { return .unsuitable }
            }
        }
        return .pause
    }

    /// Returns the image's rows, once complete; `nil` before. Call it once.
    mutating func takeRows(isRGB: Bool) -> DCRows? {
        guard case .complete = outcome, let frame else { return nil }
        defer { planes = [] }
        return DCRows(frame, planes: &planes, isRGB: isRGB)
    }

    private mutating func complete(_ bytes: Int) -> Outcome {
        bytesNeeded = bytes
        return .complete
    }

    /// Reads a marker's segment; returns `false` if it is damaged or unsupported.
    private mutating func take(_ code: UInt8, _ content: Data) -> Bool {
        switch code {
        case JPEGMarker.startOfImage: return frame == nil
        case JPEGMarker.progressiveFrame:
            guard frame == nil, let frame = JPEGFrame(content) else { return false }
            self.frame = frame
            return true
        case JPEGMarker.huffmanTables: return HuffmanTable.read(content, dc: &codes, ac: &codesOfAC)
        case JPEGMarker.quantizationTables: return readSteps(content)
        case JPEGMarker.restartInterval:
            guard content.count == 2, let high = content.first, let low = content.last else { return false }
            restartInterval = Int(high) << 8 | Int(low)
            return true
        case JPEGMarker.startOfScan: return beginScan([UInt8](content))
        default: return code == JPEGMarker.comment || JPEGMarker.isApplication(code)
        }
    }

    /// Reads the quantization steps of the DC coefficients from a DQT segment.
    private mutating func readSteps(_ content: Data) -> Bool {
        let bytes = [UInt8](content)
        var offset = 0
        while offset < bytes.count {
            let isWide = bytes[offset] >> 4 == 1
            let slot = Int(bytes[offset] & 15)
            let length = isWide ? 128 : 64
            guard slot < steps.count, bytes[offset] >> 4 <= 1, bytes.count - offset > length else { return false }
            steps[slot] = isWide ? Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) : Int(bytes[offset + 1])
            offset += 1 + length
        }
        return true
    }

    private mutating func beginScan(_ header: [UInt8]) -> Bool {
        guard let frame, let count = header.first.map({ Int($0) }), (1...frame.components.count).contains(count),
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
                let step = steps[frame.components[plane].quantizationTable]
            else { return false }
            if let unknownBits = planes[plane].unknownBits {
                guard highBit == unknownBits, lowBit == highBit - 1 else { return false }
                parts.append(DCScan.Part(plane: plane, table: nil))
            } else {
                let slot = Int(header[2 + 2 * index] >> 4)
                guard highBit == 0, slot < codes.count, let table = codes[slot] else { return false }
                parts.append(DCScan.Part(plane: plane, table: BlockTable.of(table, isDC: true)))
                planes[plane].step = step
            }
            planes[plane].unknownBits = lowBit
        }
        let isRefinement = parts.contains { $0.table == nil }
        guard isRefinement == parts.allSatisfy({ $0.table == nil }) else { return false }
        scan = DCScan(
            parts: parts, frame: frame, lowBit: lowBit, isRefinement: isRefinement, restartInterval: restartInterval,
            at: walk.position)
        return scan != nil
    }
}
