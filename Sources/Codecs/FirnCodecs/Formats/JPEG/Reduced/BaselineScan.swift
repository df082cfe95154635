/// Decodes the only scan of a sequential JPEG to the image at an eighth or a quarter, a row of MCUs at a time.
///
/// At an eighth, most blocks need only the DC coefficient; AC coefficients are skipped by table. Where chroma is stored
/// for two by two pixels, libjpeg decodes four samples from a block; these blocks are decoded whole. At a quarter,
/// blocks of luma need their lowest two by two coefficients, and such chroma the lowest four by four.
///
/// Invariants: `mcu` MCUs are decoded, and `planes` hold their samples. Bytes may arrive in any pieces. Each block
/// takes at least a bit, so the bytes bound the time.
///
/// - Source: ISO/IEC 10918-1 §A.2 (order of blocks), §E.2.4 (restarts).
struct BaselineScan {
    enum Outcome {
        case needsBytes
        /// More rows of MCUs may be complete.
        case more
        case end
        case damaged
    }

    /// The tables of a component.
    struct Tables {
        let dc: HuffmanTable
        let ac: HuffmanTable
        /// The quantization steps, in the order of the file.
        let steps: [Int32]
    }

    let planes: [ReducedPlane]
    private let storage: ReducedStorage
    /// The storage of the scan that this one is a part of: planes and tables; `nil` for a whole scan.
    private let owner: ReducedStorage?
    /// Owns the tables that `blocks` point to.
    private let tables: [BlockTable]
    private let blocks: [BlockCoding]
    /// True if blocks are decoded at a quarter, otherwise at an eighth.
    private let isQuarter: Bool
    private let predictions: BlockCoding.Predictions
    /// The MCUs from one restart marker to the next; 0 without markers.
    let restartInterval: Int
    private let mcusWide: Int
    /// The number after the last MCU to decode.
    private let mcuCount: Int
    private var mcu = 0
    private var restarts = 0
    private let window: CodedWindow

    /// The most blocks of an MCU (§B.2.3).
    private static let maximumBlocks = 10

    /// Starts a scan of all components whose data begin at `position`; `nil` if the library decodes more samples of a
    /// block than this, or makes pixels of samples in a way that ``BaselineDecoder`` does not, or if the MCUs are too
    /// large.
    ///
    /// - Parameter parts: the samples of a block, across and down, where the component has all of them: 1 or 2.
    init?(_ frame: JPEGFrame, _ tables: [Tables], parts whole: Int, restartInterval: Int, at position: Int) {
        guard tables.count == frame.components.count, tables.allSatisfy({ $0.steps.count == 64 }) else { return nil }
        let isSingle = tables.count == 1
        let mcusHigh = isSingle ? frame.components[0].blocksHigh : frame.mcusHigh
        mcusWide = isSingle ? frame.components[0].blocksWide : frame.mcusWide
        mcuCount = mcusWide * mcusHigh
        let storage = ReducedStorage()
        predictions = storage.table([], filler: 0)
        let values: BlockCoding.Values = storage.table([], filler: 0)
        var planes: [ReducedPlane] = []
        var blocks: [BlockCoding] = []
        var used: [BlockTable] = []
        for (index, component) in frame.components.enumerated() {
            let wide = isSingle ? 1 : component.horizontal
            let high = isSingle ? 1 : component.vertical
            let across = isSingle ? 1 : frame.maximumHorizontal / component.horizontal
            let down = isSingle ? 1 : frame.maximumVertical / component.vertical
            // As libjpeg chooses the scale of each component (`jpeg_calc_output_dimensions`).
            let isCoarse = across % 2 == 0 && down % 2 == 0
            guard !isCoarse || across % 4 != 0 || down % 4 != 0 else { return nil }
            let parts = isCoarse ? 2 * whole : whole
            let (pixelsAcross, pixelsDown) = (across * whole / parts, down * whole / parts)
            guard whole == 1 || (pixelsAcross <= 2 && pixelsDown == 1) else { return nil }
            let isLow = whole > 1
            let places = isLow ? LowBlock.places(parts: parts) : QuarterBlock.places
            let coefficients: BlockCoding.Coefficients = storage.table(
                zip(tables[index].steps, places).map { BlockCoding.Coefficient(step: $0, slot: $1) },
                filler: BlockCoding.Coefficient(step: 0, slot: BlockCoding.unusedSlot))
            let stride = mcusWide * wide * parts
            let samples = storage.samples(stride: stride, rows: mcusHigh * high * parts)
            planes.append(
                ReducedPlane(
                    samples: samples, width: component.width(parts: parts, of: frame), across: pixelsAcross,
                    down: pixelsDown))
            let dc = BlockTable.of(tables[index].dc, isDC: true)
            let ac = BlockTable.of(tables[index].ac, isDC: false)
            guard let skips = ac.skips else { return nil }
            used += [dc, ac]
            for row in 0..<high {
                for column in 0..<wide {
                    blocks.append(
                        BlockCoding(
                            dc: dc.content, ac: ac.content, skips: skips, coefficients: coefficients,
                            predictions: predictions, component: index, samples: samples,
                            start: (row * stride + column) * parts, across: wide * parts,
                            down: high * parts * stride, parts: parts, values: values,
                            count: isLow ? LowBlock.count(parts: parts) : 64))
                }
            }
        }
        guard blocks.count <= BaselineScan.maximumBlocks else { return nil }
        self.storage = storage
        owner = nil
        self.planes = planes
        self.tables = used
        self.blocks = blocks
        isQuarter = whole > 1
        self.restartInterval = restartInterval
        window = CodedWindow(at: position)
    }

    /// Creates the part of `whole` for some restart intervals, whose data begin at `position`.
    private init(_ whole: BaselineScan, _ intervals: Range<Int>, at position: Int) {
        let storage = ReducedStorage()
        let predictions: BlockCoding.Predictions = storage.table([], filler: 0)
        let values: BlockCoding.Values = storage.table([], filler: 0)
        blocks = whole.blocks.map { $0.with(predictions: predictions, values: values) }
        self.predictions = predictions
        tables = whole.tables
        isQuarter = whole.isQuarter
        self.storage = storage
        owner = whole.storage
        planes = whole.planes
        restartInterval = whole.restartInterval
        mcusWide = whole.mcusWide
        // Bound: the whole scan has the intervals.
        mcuCount = min(intervals.upperBound * restartInterval, whole.mcuCount)
        mcu = intervals.lowerBound * restartInterval
        restarts = intervals.lowerBound
        window = CodedWindow(at: position)
    }

    /// Returns a scan of some restart intervals, whose data begin at `position`. It writes to the same planes, and has
    /// everything else for itself, so that another thread can use it.
    func part(_ intervals: Range<Int>, at position: Int) -> BaselineScan {
        BaselineScan(self, intervals, at: position)
    }

    /// The number of restart intervals; 1 without markers.
    var intervals: Int {
        restartInterval > 0 ? (mcuCount + restartInterval - 1) / restartInterval : 1
    }

    /// Takes all blocks as decoded, by parts of this scan. The next marker is at `position`.
    mutating func moveToEnd(at position: Int) {
        mcu = mcuCount
        window.restart(at: position)
    }

    /// Returns the bytes that a scan of `frame` holds: its samples, its tables and its window.
    static func workingBytes(for frame: JPEGFrame, parts: Int) -> Int {
        let blocks = frame.components.reduce(0) { $0 + $1.paddedBlocksWide * $1.paddedBlocksHigh }
        return blocks * 4 * parts * parts + 256 << 10
    }

    /// The rows of MCUs that are complete.
    var rows: Int { mcu / mcusWide }

    /// The offset in the file of the next marker, once the scan has ended.
    var position: Int { window.position }

    /// Decodes until a row of MCUs is complete, as far as the received bytes allow.
    mutating func advance(_ chain: ByteChain) -> Outcome {
        let last = min((rows + 1) * mcusWide, mcuCount)
        while mcu < last {
            if restartInterval > 0, mcu == (restarts + 1) * restartInterval {
                guard restart(chain) else { return atMarker(chain) }
            }
            guard window.prepare(blocks.count * CodedBits.bytesOfBlock, chain) else { return waiting(chain) }
            let stretch = restartInterval > 0 ? (restarts + 1) * restartInterval : last
            guard decode(to: min(stretch, last)) else { return .damaged }
        }
        guard mcu == mcuCount else { return .more }
        return window.reachMarker(chain) ? .end : atMarker(chain)
    }

    private func waiting(_ chain: ByteChain) -> Outcome { chain.isFinished ? .damaged : .needsBytes }

    /// Returns the outcome if all blocks of a stretch are decoded but the expected marker is not there.
    private func atMarker(_ chain: ByteChain) -> Outcome {
        window.hasBytesLeft || window.isAtMarker ? .damaged : waiting(chain)
    }

    /// Moves past the next restart marker; returns `false` if it is not there.
    private mutating func restart(_ chain: ByteChain) -> Bool {
        guard window.reachMarker(chain), window.passRestart(restarts, in: chain) else { return false }
        restarts += 1
        predictions.fill(BlockCoding.Predictions.count, with: 0)
        return true
    }

    /// Decodes MCUs up to `last`, or as many as the window has bytes for; at least one. Returns `false` if one is
    /// damaged.
    private mutating func decode(to last: Int) -> Bool {
        isQuarter
            ? decode(to: last) { block, bits, column, row in block.decodeQuarter(&bits, column: column, row: row) }
            : decode(to: last) { block, bits, column, row in block.decodeEighth(&bits, column: column, row: row) }
    }

    @inline(__always)
    private mutating func decode(
        to last: Int, _ body: (BlockCoding, inout CodedBits, _ column: Int, _ row: Int) -> Bool
    ) -> Bool {
        var bits = window.bits()
        // An MCU that begins before is in the window as a whole, or the stretch ends in it.
        let safe = window.isAtMarker ? window.end : window.end - blocks.count * CodedBits.bytesOfBlock
        let isValid = blocks.withUnsafeBufferPointer { blocks in
            var row = mcu / mcusWide
            var column = mcu - row * mcusWide
            repeat {
                for block in blocks {
                    guard bits.isInside, body(block, &bits, column, row) else { return false }
                }
                mcu += 1
                column += 1
                if column == mcusWide {
                    column = 0
                    row += 1
                }
            } while mcu < last && bits.offset <= safe
            return true
        }
        window.take(bits)
        return isValid && !window.isOverrun
    }
}
