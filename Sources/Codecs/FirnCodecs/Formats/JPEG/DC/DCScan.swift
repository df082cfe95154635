/// Decodes one scan of DC coefficients: their first bits, or one more bit of each.
///
/// Invariants: `mcu` MCUs are decoded; `blocks` are those of one MCU, in order. An MCU is decoded as a whole or not at
/// all, so bytes may arrive in any pieces. Each block takes at least a bit, so the bytes bound the time.
///
/// - Source: ISO/IEC 10918-1 §A.2 (order of blocks), §E.2.4 (restarts), §G.1.2.1 (coding of DC coefficients).
struct DCScan {
    enum Outcome {
        case needsBytes
        /// A pause, in which the caller may check for cancellation.
        case pause
        case end
        case damaged
    }

    /// One block of an MCU: its component in the scan, and its place in the MCU.
    private struct Block {
        let part: Int
        let column: Int
        let row: Int
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
    private let restartInterval: Int
    private let mcusWide: Int
    private let mcuCount: Int
    private var mcu = 0
    private var restarts = 0
    private let window: CodedWindow

    /// The MCUs decoded between two pauses: a few milliseconds.
    private static let mcusAtOnce = 1 << 16
    /// The most blocks of an MCU (§B.2.3).
    private static let maximumBlocks = 10
    /// More than the bits of ten blocks, each of at most 16 + 11 bits.
    private static let bytesOfLargestMCU = 40

    /// Starts a scan of `parts` whose data begin at `position`; `nil` if its MCUs are too large.
    init?(
        parts: [Part], frame: JPEGFrame, lowBit: Int, isRefinement: Bool, restartInterval: Int, at position: Int
    ) {
        self.parts = parts
        self.lowBit = lowBit
        self.isRefinement = isRefinement
        self.restartInterval = restartInterval
        window = CodedWindow(at: position)
        if parts.count == 1, let part = parts.first {
            let component = frame.components[part.plane]
            mcusWide = component.blocksWide
            mcuCount = component.blocksWide * component.blocksHigh
            blocks = [Block(part: 0, column: 0, row: 0)]
        } else {
            mcusWide = frame.mcusWide
            mcuCount = frame.mcusWide * frame.mcusHigh
            for (index, part) in parts.enumerated() {
                let component = frame.components[part.plane]
                for row in 0..<component.vertical {
                    for column in 0..<component.horizontal {
                        blocks.append(Block(part: index, column: column, row: row))
                    }
                }
            }
            guard blocks.count <= DCScan.maximumBlocks else { return nil }
        }
    }

    /// The offset in the file after the decoded data; at the scan's end, that of the next marker.
    var position: Int { window.position }

    /// Decodes as far as the received bytes allow.
    mutating func advance(_ chain: ByteChain, _ planes: inout [DCPlane]) -> Outcome {
        let pause = mcu + DCScan.mcusAtOnce
        while mcu < mcuCount {
            if mcu == pause { return .pause }
            if restartInterval > 0, mcu == (restarts + 1) * restartInterval {
                guard window.reachMarker(chain) else { return atMarker(chain) }
                guard window.passRestart(restarts, in: chain) else { return .damaged }
                restarts += 1
                for index in parts.indices { parts[index].prediction = 0 }
            }
            guard window.prepare(DCScan.bytesOfLargestMCU, chain) else { return waiting(chain) }
            let stretch = restartInterval > 0 ? (restarts + 1) * restartInterval : mcuCount
            guard decode(to: min(stretch, pause, mcuCount), &planes) else { return .damaged }
        }
        return window.reachMarker(chain) ? .end : atMarker(chain)
    }

    private func waiting(_ chain: ByteChain) -> Outcome { chain.isFinished ? .damaged : .needsBytes }

    /// Returns the outcome if all blocks are decoded but the stretch's end is not reached.
    private func atMarker(_ chain: ByteChain) -> Outcome { window.hasBytesLeft ? .damaged : waiting(chain) }

    /// Decodes MCUs up to `last`, or as many as the window has bytes for; at least one. Returns `false` if one is
    /// damaged.
    private mutating func decode(to last: Int, _ planes: inout [DCPlane]) -> Bool {
        var bits = window.bits()
        // An MCU that begins before is in the window as a whole, or the stretch ends in it.
        let safe = window.isAtMarker ? window.end : window.end - DCScan.bytesOfLargestMCU
        repeat {
            guard bits.isInside, decodeMCU(&bits, &planes) else { return false }
            mcu += 1
        } while mcu < last && bits.offset <= safe
        window.take(bits)
        return !window.isOverrun
    }

    private mutating func decodeMCU(_ bits: inout CodedBits, _ planes: inout [DCPlane]) -> Bool {
        let mcuRow = mcu / mcusWide
        let mcuColumn = mcu - mcuRow * mcusWide
        for block in blocks {
            let plane = parts[block.part].plane
            let component = planes[plane].component
            let place: Int
            if parts.count == 1 {
                place = mcuRow * component.paddedBlocksWide + mcuColumn
            } else {
                place =
                    (mcuRow * component.vertical + block.row) * component.paddedBlocksWide
                    + mcuColumn * component.horizontal + block.column
            }
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
