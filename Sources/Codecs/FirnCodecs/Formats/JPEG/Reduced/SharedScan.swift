import Synchronization

/// The threads that share a sequential JPEG at an eighth or a quarter, and the least bytes of a stripe.
typealias BaselineSharing = (stripes: any StripeExecutor, bytesOfStripe: Int)

/// The restart intervals of a complete file, decoded by several threads.
///
/// Decoding can begin anew after each restart marker, so a stripe is a run of intervals. All stripes write to the
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
