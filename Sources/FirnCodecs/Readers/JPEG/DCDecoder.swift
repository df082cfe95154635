import FoundationEssentials

/// The DC coefficients of a progressive JPEG, read from the first bytes that tell them.
///
/// They are the image at an eighth of its size. Encoders put them first, so that a tenth of the file or so is enough;
/// of what stands between the scans wanted only markers are looked for. Takes Huffman-coded files of 8 bits with 1 or 3
/// components (SOF2). Whatever else there is in a file, or damaged, is ``Outcome/unsuitable``: a full decoder's
/// judgment counts then.
///
/// Invariant: a plane's `unknownBits` is set by the scan that begins; `scan` is the one that is being decoded.
/// - Source: ISO/IEC 10918-1 annex G; §B.2 for the segments.
struct DCDecoder {
    enum Outcome {
        case needsBytes
        /// Time to look whether the image is still wanted.
        case pause
        /// All planes are known precisely enough.
        case complete
        case unsuitable
    }

    private(set) var frame: JPEGFrame?
    private var planes: [DCPlane] = []
    /// How many first bytes of the file were needed, once complete.
    private(set) var bytesNeeded: Int?
    private var walk = JPEGMarkerWalk()
    private var codes: [HuffmanTable?] = [nil, nil, nil, nil]
    private var steps: [Int?] = [nil, nil, nil, nil]
    private var restartInterval = 0
    private var scan: DCScan?
    private var passesCodedData = false
    private var outcome = Outcome.needsBytes

    /// Reads on as far as the bytes go.
    mutating func advance(_ chain: ByteChain) -> Outcome {
        switch outcome {
        case .needsBytes, .pause: outcome = read(chain)
        case .complete, .unsuitable: break
        }
        return outcome
    }

    /// Markers read between two pauses: less than a millisecond.
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
                // The scan's end was told by the two bytes of the marker behind it.
                if planes.allSatisfy(\.isPrecise) { return complete(walk.position + 2) }
            } else if passesCodedData {
                guard walk.passCodedData(in: chain) else { return chain.isFinished ? .unsuitable : .needsBytes }
                passesCodedData = false
            }
            switch walk.next(in: chain) {
            case .needsBytes: return .needsBytes
            case .damaged: return .unsuitable
            case .marker(JPEGMarker.endOfImage, _):
                // As exact as the file has it.
                return !planes.isEmpty && planes.allSatisfy { $0.unknownBits != nil }
                    ? complete(walk.position) : .unsuitable
            case .marker(let code, let content):
                guard take(code, content) else { return .unsuitable }
            }
        }
        return .pause
    }

    /// The image's rows, once complete; to be called once. `nil` before.
    mutating func takeRows(isRGB: Bool) -> DCRows? {
        guard case .complete = outcome, let frame else { return nil }
        defer { planes = [] }
        return DCRows(frame, planes: &planes, isRGB: isRGB)
    }

    private mutating func complete(_ bytes: Int) -> Outcome {
        bytesNeeded = bytes
        return .complete
    }

    /// Takes what a marker's segment says; `false` if it is damaged or not provided for.
    private mutating func take(_ code: UInt8, _ content: Data) -> Bool {
        switch code {
        case JPEGMarker.startOfImage: return frame == nil
        case JPEGMarker.progressiveFrame:
            guard frame == nil, let frame = JPEGFrame(content) else { return false }
            self.frame = frame
            return true
        case JPEGMarker.huffmanTables: return HuffmanTable.read(content, into: &codes)
        case JPEGMarker.quantizationTables: return readSteps(content)
        case JPEGMarker.restartInterval:
            guard content.count == 2, let high = content.first, let low = content.last else { return false }
            restartInterval = Int(high) << 8 | Int(low)
            return true
        case JPEGMarker.startOfScan: return beginScan([UInt8](content))
        default: return code == JPEGMarker.comment || JPEGMarker.isApplication(code)
        }
    }

    /// Takes the DC coefficients' steps out of a DQT segment.
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
        // Order: memory is asked for when there is something to put into it.
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
                parts.append(DCScan.Part(plane: plane, table: table))
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
