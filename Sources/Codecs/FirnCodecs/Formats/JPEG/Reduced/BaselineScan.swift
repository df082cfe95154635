import Synchronization

/// Decodes the only scan of a sequential JPEG to the image at an eighth or a quarter, a row of MCUs at a time.
///
/// At an eighth, most blocks need only the DC coefficient; AC coefficients are skipped by table. Where chroma is stored
/// for two by two pixels, libjpeg decodes four samples from a block; these blocks are decoded whole. At a quarter,
/// blocks of luma need their lowest two by two coefficients, and such chroma the lowest four by four.
///
/// Invariant: `planes` hold the samples of the MCUs that `walk` has passed, all or those of the last row.
///
/// - Source: ISO/IEC 10918-1 §A.2 (order of blocks).
struct BaselineScan {
    /// The tables of a component.
    struct Tables {
        let dc: [UInt16]
        let ac: [UInt16]
        /// The quantization steps, in the order of the file.
        let steps: [Int32]
    }

    let planes: [ReducedPlane]
    private var storage: ReducedStorage
    /// The storage of the scan that this one is a part of: planes and tables; `nil` for a whole scan.
    private var owner: ReducedStorage?
    /// Owns the tables that `blocks` point to.
    private let tables: [BlockTable]
    private var blocks: [BlockCoding]
    /// True if blocks are decoded at a quarter, otherwise at an eighth.
    private let isQuarter: Bool
    private var predictions: BlockCoding.Predictions
    var walk: MCUWalk
    /// True if `planes` hold the whole image, otherwise the row of MCUs that was decoded last.
    private let isWhole: Bool
    private var index: CodedIndexBuilder?

    /// Starts a scan of all components whose data begin at `position`; `nil` if the library decodes more samples of a
    /// block than this, or makes pixels of samples in a way that ``BaselineDecoder`` does not, or if the MCUs are too
    /// large.
    ///
    /// - Parameters:
    ///   - parts: the samples of a block, across and down, where the component has all of them: 1 or 2.
    ///   - isWhole: whether to hold the samples of the whole image, otherwise those of a row of MCUs.
    init?(
        _ frame: JPEGFrame, _ tables: [Tables], parts whole: Int, restartInterval: Int, at position: Int, isWhole: Bool
    ) {
        guard tables.count == frame.components.count, tables.allSatisfy({ $0.steps.count == 64 }) else { return nil }
        let storage = ReducedStorage()
        predictions = storage.table([], filler: 0)
        let values: BlockCoding.Values = storage.table([], filler: 0)
        var planes: [ReducedPlane] = []
        var blocks: [BlockCoding] = []
        var used: [BlockTable] = []
        for (index, component) in frame.components.enumerated() {
            let (wide, high) = (component.horizontal, component.vertical)
            let (across, down) = (frame.maximumHorizontal / wide, frame.maximumVertical / high)
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
            let stride = frame.mcusWide * wide * parts
            let rows = (isWhole ? frame.mcusHigh : 1) * high * parts
            let samples = storage.samples(stride: stride, rows: rows)
            planes.append(
                ReducedPlane(
                    samples: samples, width: component.width(parts: parts, of: frame), across: pixelsAcross,
                    down: pixelsDown, rows: rows))
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
                            down: isWhole ? high * parts * stride : 0, parts: parts, values: values,
                            count: isLow ? LowBlock.count(parts: parts) : 64))
                }
            }
        }
        guard blocks.count <= MCUWalk.maximumBlocks else { return nil }
        self.storage = storage
        self.planes = planes
        self.tables = used
        self.blocks = blocks
        isQuarter = whole > 1
        self.isWhole = isWhole
        walk = MCUWalk(
            width: frame.mcusWide, height: frame.mcusHigh, restartInterval: restartInterval,
            bytesOfMCU: blocks.count * CodedBits.bytesOfBlock, at: position)
    }

    /// Returns a scan of some restart intervals, whose data begin at `position`. It writes to the same planes, and has
    /// everything else for itself, so that another thread can use it.
    func part(_ intervals: Range<Int>, at position: Int) -> BaselineScan {
        var part = self
        part.storage = ReducedStorage()
        part.owner = storage
        part.predictions = part.storage.table([], filler: 0)
        let values: BlockCoding.Values = part.storage.table([], filler: 0)
        for index in blocks.indices {
            part.blocks[index].predictions = part.predictions
            part.blocks[index].values = values
        }
        part.walk = walk.part(intervals, at: position)
        return part
    }

    /// Returns the bytes that a scan of `frame` holds: its samples, its tables and its window.
    ///
    /// - Parameter isWhole: whether it holds the samples of the whole image.
    static func workingBytes(for frame: JPEGFrame, parts: Int, isWhole: Bool) -> Int {
        frame.blockCount / (isWhole ? 1 : frame.mcusHigh) * 4 * parts * parts + 256 << 10
    }

    /// Makes an index of the coded data from here on, the start of the scan.
    mutating func makeIndex(_ index: CodedIndexBuilder) {
        self.index = index
        walk.followPlaces()
    }

    /// Decodes until a row of MCUs is complete, as far as the received bytes allow.
    ///
    /// Unless the whole image is held, that row replaces the previous one.
    mutating func advance(_ chain: ByteChain) -> JPEGOutcome {
        let end = (walk.rows + 1) * walk.width
        guard let index else { return advance(to: end, chain) }
        while true {
            let next = index.note(walk, predictions)
            let outcome = advance(to: min(next, end), chain)
            if outcome == .end { index.complete(walk) }
            guard outcome == .more, walk.mcu < end else { return outcome }
        }
    }

    private mutating func advance(to last: Int, _ chain: ByteChain) -> JPEGOutcome {
        isQuarter
            ? advance(to: last, chain) { block, bits, column, row in
                block.decodeQuarter(&bits, column: column, row: row)
            }
            : advance(to: last, chain) { block, bits, column, row in
                block.decodeEighth(&bits, column: column, row: row)
            }
    }

    @inline(__always)
    private mutating func advance(
        to last: Int, _ chain: ByteChain,
        _ decode: (BlockCoding, inout CodedBits, _ column: Int, _ row: Int) -> Bool
    ) -> JPEGOutcome {
        // The closures capture values, because the walk changes meanwhile.
        let (blocks, predictions) = (blocks, predictions)
        return blocks.withUnsafeBufferPointer { blocks in
            walk.advance(to: last, chain) {
                predictions.fill(BlockCoding.Predictions.count, with: 0)
            } decode: { bits, column, row in
                for block in blocks {
                    guard bits.isInside, decode(block, &bits, column, row) else { return false }
                }
                return true
            }
        }
    }
}

/// The threads that share a sequential JPEG at an eighth or a quarter, and the least bytes of a stripe.
typealias BaselineSharing = (stripes: any StripeExecutor, bytesOfStripe: Int)

/// The restart intervals of a complete file, decoded by several threads.
///
/// Decoding can start after each restart marker, so a stripe is a run of intervals. All stripes write to the
/// planes of the same ``BaselineScan``, each to the samples of its own blocks.
///
/// Invariant: stripes before `next` are decoded.
struct SharedScan {
    private let work: Work
    private let executor: any StripeExecutor
    private let stripes: [Range<Int>]
    private var next = 0

    /// The stripes between two pauses, in which the caller may check for cancellation: some tens of milliseconds.
    private static let stripesAtOnce = 16

    /// - Returns: `nil` if no thread would help, or the file is short, has no restart markers, or lacks some.
    init?(_ scan: BaselineScan, _ sharing: BaselineSharing, _ chain: ByteChain) {
        guard chain.isFinished, scan.walk.restartInterval > 0, sharing.stripes.idleThreads > 0,
            chain.count - scan.walk.position >= 2 * sharing.bytesOfStripe,
            let head = try? PartHead(chain), var index = RestartIndex(head),
            index.interval == scan.walk.restartInterval,
            index.starts == [scan.walk.position], index.count == scan.walk.intervals,
            (try? index.extend(to: index.count, in: chain)) == true
        else { return nil }
        var stripes: [Range<Int>] = []
        var first = 0
        for interval in 0..<index.count {
            let isLast = interval == index.count - 1
            guard isLast || index.ends[interval] - index.starts[first] >= sharing.bytesOfStripe else { continue }
            stripes.append(first..<interval + 1)
            first = interval + 1
        }
        guard stripes.count > 1 else { return nil }
        self.stripes = stripes
        executor = sharing.stripes
        work = Work(scan, index, chain)
    }

    /// The offset in the file of the marker after the scan.
    var position: Int { work.index.ends.last ?? 0 }

    /// Decodes some stripes.
    mutating func advance() -> JPEGOutcome {
        let batch = stripes[next..<min(next + SharedScan.stripesAtOnce, stripes.count)]
        next = batch.endIndex
        executor.perform(batch.count) { [work] index in work.decode(batch[batch.startIndex + index]) }
        return work.isDamaged ? .damaged : next == stripes.count ? .end : .more
    }

    /// The state that the threads share.
    // Safety: nothing here changes but `damage`, which is atomic. Stripes write to different samples, and read the file
    // through chains of their own.
    private final class Work: @unchecked Sendable {
        let index: RestartIndex
        private let scan: BaselineScan
        private let chain: ByteChain
        private let damage = Atomic<Bool>(false)

        init(_ scan: BaselineScan, _ index: RestartIndex, _ chain: ByteChain) {
            self.scan = scan
            self.index = index
            self.chain = chain
        }

        var isDamaged: Bool { damage.load(ordering: .relaxed) }

        /// Decodes some intervals, unless another thread has found damage.
        func decode(_ intervals: Range<Int>) {
            guard !isDamaged else { return }
            let chain = chain.reopened(blockLength: 64 << 10)
            var part = scan.part(intervals, at: index.starts[intervals.lowerBound])
            var outcome = JPEGOutcome.more
            while outcome == .more { outcome = part.advance(chain) }
            // Order: a stripe that ends elsewhere than at its marker has lost its place.
            guard outcome == .end, part.walk.position == index.ends[intervals.upperBound - 1] else {
                return damage.store(true, ordering: .relaxed)
            }
        }
    }
}
