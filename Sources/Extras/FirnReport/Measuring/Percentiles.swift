import FirnSync

/// Percentiles of measured values, by nearest rank: always a measured value.
package struct Percentiles<Value: Comparable & Sendable>: Sendable {
    private let sorted: [Value]

    package init(_ values: [Value]) { sorted = values.sorted() }

    package var count: Int { sorted.count }

    /// Returns the smallest value that at least `percent` of a hundred values do not exceed; `nil` if there are no
    /// values.
    ///
    /// - Parameter percent: 0 for the smallest value, 100 for the largest. Values outside are clamped.
    package func value(at percent: Double) -> Value? {
        guard !sorted.isEmpty else { return nil }
        let share = min(max(percent, 0), 100) / 100
        let rank = Int(saturating: (share * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}
