/// Selects the one of three policies with the most recent hits.
///
/// Only requests on which the policies differ count. Older ones decay: after 1000 more, a hit counts a third.
struct PolicyScore {
    /// Number of requests after which a hit has decayed to 1/e.
    private static let memory = 1000.0
    /// Hits by which another policy has to lead. Keeps LRU until there is evidence.
    private static let margin = 4.0

    private var scores = (0.0, 0.0, 0.0)
    /// The best policy: 0, 1 or 2.
    private(set) var best = 0

    /// Records a request and which policies would have had a hit.
    @inline(__always)
    mutating func note(_ first: Bool, _ second: Bool, _ third: Bool) {
        if first == second, second == third { return }
        let keep = 1 - 1 / PolicyScore.memory
        scores.0 = scores.0 * keep + (first ? 1 : 0)
        scores.1 = scores.1 * keep + (second ? 1 : 0)
        scores.2 = scores.2 * keep + (third ? 1 : 0)
        let present = best == 0 ? scores.0 : best == 1 ? scores.1 : scores.2
        if scores.0 > present + PolicyScore.margin { best = 0 }
        if scores.1 > present + PolicyScore.margin { best = 1 }
        if scores.2 > max(present + PolicyScore.margin, scores.1) { best = 2 }
    }
}
