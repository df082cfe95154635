import FirnSync

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
    /// Whole numbers without a fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
