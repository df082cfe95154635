import FirnSync

/// The counts of a histogram: values by size, and their sum.
package struct HistogramCounts: Sendable {
    /// Upper bounds: three for each power of ten, from a tenth of a millisecond to a hundred seconds.
    static let bounds: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100,
    ]

    fileprivate var buckets = [Int](repeating: 0, count: bounds.count)
    package fileprivate(set) var count = 0
    fileprivate var sum = 0.0

    package init() {}

    /// Counts a finite value.
    package mutating func record(_ value: Double) {
        if let bucket = HistogramCounts.bounds.firstIndex(where: { value <= $0 }) { buckets[bucket] += 1 }
        count += 1
        sum += value
    }
}

/// A histogram.
final class PrometheusHistogram: PrometheusValue {
    private let state = Locked(HistogramCounts())
    private let scale: Double

    /// - Parameter scale: the factor of recorded values.
    init(scale: Double) { self.scale = scale }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let value = value * scale
        guard value.isFinite else { return }
        state.withLock { $0.record(value) }
    }

    /// Adds the counts of another histogram.
    func add(_ counts: HistogramCounts) {
        state.withLock { state in
            for (bucket, count) in counts.buckets.enumerated() { state.buckets[bucket] += count }
            state.count += counts.count
            state.sum += counts.sum
        }
    }

    func lines(_ name: String, _ labels: String) -> String {
        let state = state.withLock { $0 }
        let prefix = labels.isEmpty ? "" : labels + ","
        let suffix = labels.isEmpty ? "" : "{\(labels)}"
        var text = ""
        var total = 0
        for (bound, count) in zip(HistogramCounts.bounds, state.buckets) {
            total += count
            text += "\(name)_bucket{\(prefix)le=\"\(PrometheusText.number(bound))\"} \(total)\n"
        }
        text += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(state.count)\n"
        text += "\(name)_sum\(suffix) \(PrometheusText.number(state.sum))\n"
        text += "\(name)_count\(suffix) \(state.count)\n"
        return text
    }
}

/// A counter or a gauge.
final class PrometheusNumber: PrometheusValue {
    private let number = Locked(0.0)

    func increment(by amount: Int64) { number.withLock { $0 += Double(amount) } }
    func increment(by amount: Double) { number.withLock { $0 += amount } }
    func decrement(by amount: Double) { number.withLock { $0 -= amount } }
    func reset() { number.withLock { $0 = 0 } }
    func set(_ value: Int64) { number.withLock { $0 = Double(value) } }
    func set(_ value: Double) { number.withLock { $0 = value } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func lines(_ name: String, _ labels: String) -> String {
        "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(PrometheusText.number(number.withLock { $0 }))\n"
    }
}

enum PrometheusText {
    /// Formats a number; whole numbers have no fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
