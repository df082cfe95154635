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

    /// The markers read between two pauses, in less than a millisecond.
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

/// The rows of an image at an eighth, computed from the means of its blocks.
///
/// If chroma is subsampled, its mean covers several pixels. For two by two pixels, libjpeg decodes four parts of the
/// block from coefficients that this reader does not decode. Instead, the parts change at the rate given by the
/// neighboring blocks, around the same mean. If chroma is subsampled in one direction only, both repeat the mean.
///
/// - Source: libjpeg-turbo jdmaster.c (`jpeg_calc_output_dimensions`) for the parts.
struct DCRows {
    /// The samples of one component.
    private struct Plane {
        let samples: [UInt8]
        let component: JPEGFrame.Component
        /// The pixels of a row, and the rows, for each sample.
        let across: Int
        let down: Int
        /// The number of parts, across and down, into which libjpeg divides a block at this scale: the number of pixels
        /// if they are two or four both ways, 1 if there are more in one direction only.
        let parts: Int

        /// Returns the start of the row of samples `row`; outside, that of the nearest edge.
        func start(of row: Int) -> Int { min(max(row, 0), component.blocksHigh - 1) * component.paddedBlocksWide }
    }

    let width: Int
    let height: Int
    private let planes: [Plane]
    private let isRGB: Bool
    /// A row of each component, as wide as the image and what its last samples cover beyond.
    private var rows: [[UInt8]]

    /// Takes the samples of complete planes, and releases their coefficients.
    init(_ frame: JPEGFrame, planes: inout [DCPlane], isRGB: Bool) {
        let size = frame.size(parts: 1)
        width = size.width
        height = size.height
        self.isRGB = isRGB
        var made: [Plane] = []
        for index in planes.indices {
            let component = planes[index].component
            let across = frame.maximumHorizontal / component.horizontal
            let down = frame.maximumVertical / component.vertical
            var parts = 1
            while across % (2 * parts) == 0, down % (2 * parts) == 0 { parts *= 2 }
            made.append(
                Plane(
                    samples: planes[index].takeSamples(), component: component, across: across, down: down,
                    parts: parts))
        }
        self.planes = made
        rows = made.map { [UInt8](repeating: 0, count: $0.component.blocksWide * $0.across) }
    }

    /// Writes row `y` of the image, `width` pixels of `layout`, at `target`.
    mutating func write(_ y: Int, to target: UnsafeMutableRawPointer, _ layout: SampleLayout) {
        for index in planes.indices { DCRows.spread(planes[index], y, into: &rows[index]) }
        let isColor = rows.count == 3
        let (first, second, third) = (rows[0], rows[isColor ? 1 : 0], rows[isColor ? 2 : 0])
        JPEGColors.write(
            first.span.extracting(0..<width), second.span, third.span, isYCbCr: isColor && !isRGB, to: target, layout)
    }

    /// Computes one component of each pixel of the image's row `y`.
    private static func spread(_ plane: Plane, _ y: Int, into row: inout [UInt8]) {
        let (line, width) = (y / plane.down, plane.component.blocksWide)
        let start = plane.start(of: line)
        if plane.across == 1, plane.down == 1 {
            for x in 0..<width { row[x] = plane.samples[start + x] }
            return
        }
        let above = plane.start(of: line - 1)
        let below = plane.start(of: line + 1)
        // The part of the block that the row lies in, as twice the distance of the middles in parts.
        let downInParts = 2 * ((y - line * plane.down) * plane.parts / plane.down) + 1 - plane.parts
        let scale = 4 * plane.parts
        for x in 0..<width {
            let sample = Int(plane.samples[start + x])
            let change = DCRows.change(Int(plane.samples[above + x]), sample, Int(plane.samples[below + x]))
            let left = Int(plane.samples[start + max(x - 1, 0)])
            let right = Int(plane.samples[start + min(x + 1, width - 1)])
            let changeAcross = DCRows.change(left, sample, right)
            let middle = sample * scale + change * downInParts + scale / 2
            for step in 0..<plane.across {
                let acrossInParts = 2 * (step * plane.parts / plane.across) + 1 - plane.parts
                row[x * plane.across + step] = UInt8(clamping: (middle + changeAcross * acrossInParts) / scale)
            }
        }
    }

    /// Returns how much the samples change over two blocks, estimated from the neighbors: 0 at an extremum, and at an
    /// edge not beyond the nearer neighbor's mean.
    private static func change(_ before: Int, _ here: Int, _ after: Int) -> Int {
        let first = here - before
        let second = after - here
        guard (first < 0) == (second < 0) else { return 0 }
        let most = 4 * min(abs(first), abs(second))
        return max(-most, min(most, first + second))
    }
}
