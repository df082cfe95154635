import FirnSystem

/// An upper bound of the hits that any policy can have on a trace, even one that knows the future.
///
/// An interval lies between two requests of an image; the second request is a hit if the image is kept through it. Any
/// policy chooses intervals whose bytes never exceed the cache. If fractions of intervals may be chosen, this is a
/// linear program (the "flow-based offline optimal" of Berger, Beckmann and Harchol-Balter, "Practical Bounds on
/// Optimal Caching with Variable Object Sizes", 2018). Every price per byte and moment gives an upper bound: the cost
/// of the cache's capacity, plus what each interval is worth above its price. The search raises prices where capacity
/// is exceeded, lowers them elsewhere, and keeps the lowest bound. For images of one size, this is Belady's optimum,
/// except for the error of the search (below 1 %).
struct FlowBound {
    /// The bound of the number of hits.
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
        // Starts with one price for all moments, at which the total demand equals the total capacity.
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
