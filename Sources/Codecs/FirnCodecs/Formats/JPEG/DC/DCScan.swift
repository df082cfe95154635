/// Decodes one scan of DC coefficients: their first bits, or one more bit of each.
///
/// Invariant: `blocks` are those of one MCU, in order.
///
/// - Source: ISO/IEC 10918-1 §A.2 (order of blocks), §G.1.2.1 (coding of DC coefficients).
struct DCScan {
    /// One block of an MCU: its component in the scan, its place in the plane for the first MCU, and the distances from
    /// one MCU to the next.
    private struct Block {
        let part: Int
        let start: Int
        let across: Int
        let down: Int
    }

    /// One component of the scan.
    struct Part {
        /// The index of the component's plane.
        let plane: Int
        /// The codes of the differences; `nil` for a refinement scan.
        let table: BlockTable?
        var prediction = 0
    }

    private var parts: [Part]
    private var blocks: [Block] = []
    /// The bit that the scan stores, or the lowest of its bits.
    private let lowBit: Int
    private let isRefinement: Bool
    private var walk: MCUWalk

    /// The MCUs decoded between two pauses, in a few milliseconds.
    private static let mcusAtOnce = 1 << 16
    /// More than the bits of ten blocks, each of at most 16 + 11 bits.
    private static let bytesOfLargestMCU = 40

    /// Starts a scan of `parts` whose data begin at `position`; `nil` if its MCUs are too large.
    init?(
        parts: [Part], frame: JPEGFrame, lowBit: Int, isRefinement: Bool, restartInterval: Int, at position: Int
    ) {
        self.parts = parts
        self.lowBit = lowBit
        self.isRefinement = isRefinement
        var size = PixelSize(width: frame.mcusWide, height: frame.mcusHigh)
        for (index, part) in parts.enumerated() {
            let component = frame.components[part.plane]
            let stride = component.paddedBlocksWide
            // An MCU of a single component is one block.
            let isAlone = parts.count == 1
            if isAlone { size = PixelSize(width: component.blocksWide, height: component.blocksHigh) }
            let (wide, high) = isAlone ? (1, 1) : (component.horizontal, component.vertical)
            for row in 0..<high {
                for column in 0..<wide {
                    blocks.append(
                        Block(part: index, start: row * stride + column, across: wide, down: high * stride))
                }
            }
        }
        guard blocks.count <= MCUWalk.maximumBlocks else { return nil }
        walk = MCUWalk(
            width: size.width, height: size.height, restartInterval: restartInterval,
            bytesOfMCU: DCScan.bytesOfLargestMCU, at: position)
    }

    /// Returns the bytes held while the coefficients of `frame` are read: two for each block, one for its sample,
    /// the window and tables.
    static func workingBytes(for frame: JPEGFrame) -> Int { frame.blockCount * 3 + 128 << 10 }

    /// The offset in the file after the decoded data; at the scan's end, that of the next marker.
    var position: Int { walk.position }

    /// Decodes as far as the received bytes allow, up to the next pause.
    mutating func advance(_ chain: ByteChain, _ planes: inout [DCPlane]) -> JPEGOutcome {
        var walk = walk
        defer { self.walk = walk }
        return walk.advance(to: walk.mcu + DCScan.mcusAtOnce, chain) {
            for index in parts.indices { parts[index].prediction = 0 }
        } decode: { bits, column, row in
            bits.isInside && decodeMCU(&bits, column: column, row: row, &planes)
        }
    }

    private mutating func decodeMCU(
        _ bits: inout CodedBits, column mcuColumn: Int, row mcuRow: Int, _ planes: inout [DCPlane]
    ) -> Bool {
        for block in blocks {
            let plane = parts[block.part].plane
            let place = block.start + mcuRow * block.down + mcuColumn * block.across
            if isRefinement {
                bits.fill()
                if bits.peek(1) == 1 { planes[plane].values[place] |= 1 << Int16(truncatingIfNeeded: lowBit) }
                bits.skip(1)
            } else {
                guard let difference = parts[block.part].table?.content.difference(&bits) else { return false }
                // Invariant: |prediction| is below 2^15, so nothing overflows.
                let prediction = parts[block.part].prediction + difference
                guard let value = Int16(exactly: prediction << lowBit) else { return false }
                parts[block.part].prediction = prediction
                planes[plane].values[place] = value
            }
        }
        return true
    }
}

/// The DC coefficients of one component, as far as they are decoded.
///
/// Invariant: `values` has one number for each block of whole MCUs, row by row, in units of the quantization step; the
/// lowest `unknownBits` bits of each are 0.
struct DCPlane {
    let component: JPEGFrame.Component
    var values: [Int16]
    /// The number of low bits that no scan has decoded yet; `nil` before the first scan.
    var unknownBits: Int?
    /// The quantization step, fixed when the first scan begins.
    var step = 1

    /// The largest error that missing bits may cause in a sample, in levels of 255. A step counts as an eighth of a
    /// level.
    static let toleratedLevels = 1.25

    init(_ component: JPEGFrame.Component) {
        self.component = component
        values = [Int16](repeating: 0, count: component.paddedBlocksWide * component.paddedBlocksHigh)
    }

    /// True if more bits would make no visible difference.
    var isPrecise: Bool {
        guard let unknownBits else { return false }
        return Double(step * ((1 << unknownBits) - 1)) / 16 <= DCPlane.toleratedLevels
    }

    /// Returns the mean of each block as a sample, and releases the coefficients.
    ///
    /// Missing bits count as the middle of their range. Exact bits give the result of libjpeg's 1x1 IDCT.
    mutating func takeSamples() -> [UInt8] {
        let middle = step * ((1 << (unknownBits ?? 0)) - 1) / 2
        let step = self.step
        // Invariant: |value * step| is below 2^15 * 2^16.
        let samples = values.map { UInt8(clamping: (Int($0) * step + middle + 4) >> 3 + 128) }
        values = []
        return samples
    }
}
