import FirnSystem

/// Draws ranks by Zipf's law from uniform random numbers.
struct ZipfLaw {
    /// The cumulative share of all draws up to each rank.
    private let sums: [Double]

    init(_ count: Int, exponent: Double) {
        var total = 0.0
        let sums = (1...max(1, count)).map { rank in
            total += 1 / pow(Double(rank), exponent)
            return total
        }
        self.sums = sums.map { $0 / total }
    }

    /// Returns the rank, from 0, for a number from 0 to 1.
    func rank(_ number: Double) -> Int {
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
