import FirnSystem

/// Ranks by Zipf's law, drawn from even random numbers.
struct ZipfLaw {
    /// The part of all draws that goes to ranks up to each.
    private let sums: [Double]

    init(_ count: Int, exponent: Double) {
        var total = 0.0
        let sums = (1...max(1, count)).map { rank in
            total += 1 / pow(Double(rank), exponent)
            return total
        }
        self.sums = sums.map { $0 / total }
    }

    /// The rank, from 0, of a number from 0 to 1.
    func rank(_ number: Double) -> Int {
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
