import FirnSystem

/// More hits than any policy can have on a trace, one that knows the future included.
///
/// Between two requests of an image lies an interval; the second request is a hit if the image is kept through it. Any
/// policy chooses intervals such that at no moment those chosen have more bytes than the cache. Choosing parts of intervals,
/// too, gives a linear program (the "flow-based offline optimal" of Berger, Beckmann and Harchol-Balter, "Practical
/// Bounds on Optimal Caching with Variable Object Sizes", 2018). Every price per byte and moment gives an upper bound of it:
/// what the cache's room costs, and what each interval is worth above its price. Prices are raised where the room is
/// overdrawn and lowered where it is not, and the lowest bound that is met counts. For images of one size it is Belady's optimum but for
/// what the search leaves (below 1 %).
struct FlowBound {
    /// Hits.
    let hits: Double

    init(_ trace: Trace, weights: ((Int) -> Double)? = nil, rounds: Int = 300) {
        var last = [Int](repeating: -1, count: trace.sizes.count)
        var intervals: [(from: Int, to: Int, size: Double, worth: Double)] = []
        for (moment, image) in trace.requests.enumerated() {
            let size = trace.sizes[Int(image)]
            if last[Int(image)] >= 0, size <= trace.capacity {
                intervals.append((last[Int(image)], moment, Double(size), weights?(size) ?? 1))
            }
            last[Int(image)] = moment
        }
        let count = trace.requests.count
        let capacity = Double(trace.capacity)
        guard !intervals.isEmpty, capacity > 0 else { self.hits = 0; return }
        // One price for all moments, at which as much is taken as there is in all.
        let ranked = intervals.map { $0.worth / ($0.size * Double($0.to - $0.from)) }.sorted(by: >)
        var prices = [Double](
            repeating: max(1e-15, FlowBound.start(ranked, intervals, capacity * Double(count))), count: count)
        var sums = [Double](repeating: 0, count: count + 1)
        var load = [Double](repeating: 0, count: count + 1)
        var best = Double(intervals.reduce(0) { $0 + $1.worth })
        for round in 0..<rounds {
            for at in 0..<count { sums[at + 1] = sums[at] + prices[at] }
            var bound = capacity * sums[count]
            for at in load.indices { load[at] = 0 }
            for interval in intervals {
                let gain = interval.worth - interval.size * (sums[interval.to] - sums[interval.from])
                if gain > 0 {
                    bound += gain
                    load[interval.from] += interval.size
                    load[interval.to] -= interval.size
                }
            }
            best = min(best, bound)
            let step = 0.4 / (1 + Double(round) / 12)
            var now = 0.0
            for at in 0..<count {
                now += load[at]
                prices[at] *= exp(step * max(-1, min(2, (now - capacity) / capacity)))
            }
        }
        self.hits = best
    }

    private static func start(
        _ ranked: [Double], _ intervals: [(from: Int, to: Int, size: Double, worth: Double)], _ room: Double
    ) -> Double {
        var left = room
        let sorted = intervals.sorted {
            $0.worth / ($0.size * Double($0.to - $0.from)) > $1.worth / ($1.size * Double($1.to - $1.from))
        }
        for interval in sorted {
            left -= interval.size * Double(interval.to - interval.from)
            if left <= 0 { return interval.worth / (interval.size * Double(interval.to - interval.from)) }
        }
        return 1e-15
    }
}
