/// Follows the recently best of several policies: simulates all of them without image data, and evicts what the best
/// one would evict.
///
/// Source: R. Subramanian, Y. Smaragdakis, G. Loh, Adaptive Caches (MICRO 2006).
final class ExpertsCandidate: Candidate {
    private let experts: [any Candidate]
    private var list: Chain
    private var scores: [Double]
    private var best = 0
    private let decay: Double
    private let margin: Double
    private let trace: Trace

    init(_ trace: Trace, memory: Double = 300, margin: Double = 0, _ experts: any Candidate...) {
        self.trace = trace
        self.experts = experts
        self.margin = margin
        decay = 1 - 1 / memory
        scores = [Double](repeating: 0, count: experts.count)
        list = Chain(trace.sizes)
    }

    func contains(_ image: Int32) -> Bool { list.contains(image) }

    func access(_ image: Int32) -> Bool {
        let found = experts.map { $0.access(image) }
        if found.contains(true), found.contains(false) {
            for (at, hit) in found.enumerated() {
                scores[at] = scores[at] * decay + (hit ? 1 : 0)
                if scores[at] > scores[best] + margin { best = at }
            }
        }
        let better = experts[best]
        let isHit = list.contains(image)
        if isHit { list.moveToBack(image) } else { list.append(image) }
        while list.bytes > trace.capacity {
            var victim = list.first
            while let at = victim, better.contains(at) { victim = list.next(at) }
            guard let gone = victim ?? list.first else { break }
            list.remove(gone)
        }
        return isHit
    }
}
