import FirnSync

/// Keeps metrics in memory and formats them as a page for Prometheus.
///
/// Pass it to ``MetricsObserver/init(page:)``. With the package trait `Telemetry` it is a swift-metrics factory, too,
/// with which the process can be bootstrapped. Timers and recorders become histograms; timers are shown in seconds.
///
/// Format: Prometheus' text-based exposition format 0.0.4.
public final class PrometheusPage: MetricSource {
    private struct Key: Hashable {
        let name: String
        let labels: String
    }

    /// The values, and the kinds of names.
    private let pages = Locked<(values: [Key: any PrometheusValue], kinds: [String: String])>(([:], [:]))

    /// Creates a page without metrics.
    public init() {}

    /// The content type of a response with the page.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The current page. Lines are sorted by name.
    public var text: String {
        let (values, kinds) = pages.withLock { ($0.values, $0.kinds) }
        var text = ""
        var last = ""
        for (key, value) in values.sorted(by: { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }) {
            if key.name != last { text += "# TYPE \(key.name) \(kinds[key.name] ?? "untyped")\n" }
            last = key.name
            text += value.lines(key.name, key.labels)
        }
        return text
    }

    package func counter(_ name: String, _ labels: [(String, String)] = []) -> Metric {
        let number = number(name, labels, "counter")
        return Metric { number.increment(by: $0) }
    }

    package func gauge(_ name: String, _ labels: [(String, String)] = []) -> Metric {
        let number = number(name, labels, "gauge")
        return Metric { number.set($0) }
    }

    package func timer(_ name: String, _ labels: [(String, String)] = []) -> Metric {
        let histogram = histogram(name, labels, scale: 1e-9)
        return Metric { histogram.record($0) }
    }

    /// Adds the counts of another histogram, in seconds, to a timer.
    package func add(_ counts: HistogramCounts, _ name: String, _ labels: [(String, String)]) {
        histogram(name, labels, scale: 1e-9).add(counts)
    }

    /// Returns a number of the page, or a detached one if the name has another kind of metric.
    func number(_ name: String, _ labels: [(String, String)], _ kind: String) -> PrometheusNumber {
        value(name, labels, kind, PrometheusNumber())
    }

    /// Returns a histogram of the page, or a detached one if the name has another kind of metric.
    func histogram(_ name: String, _ labels: [(String, String)], scale: Double) -> PrometheusHistogram {
        value(name, labels, "histogram", PrometheusHistogram(scale: scale))
    }

    /// Returns the value of a name and labels, shared by all callers; a detached one if the name has another kind of
    /// metric.
    private func value<Value: PrometheusValue>(
        _ label: String, _ dimensions: [(String, String)], _ kind: String, _ fresh: @autoclosure () -> Value
    ) -> Value {
        let name = PrometheusPage.name(label)
        let labels = dimensions.map { "\(PrometheusPage.name($0.0))=\"\(PrometheusPage.escaped($0.1))\"" }
        let key = Key(name: name, labels: labels.joined(separator: ","))
        return pages.withLock { pages in
            guard pages.kinds[name, default: kind] == kind else { return fresh() }
            pages.kinds[name] = kind
            if let known = pages.values[key] { return known as? Value ?? fresh() }
            let value = fresh()
            pages.values[key] = value
            return value
        }
    }

    /// Returns a valid name: letters, digits, `_` and `:`, not starting with a digit.
    private static func name(_ text: String) -> String {
        let characters = text.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", ":": Character(scalar)
            default: "_"
            }
        }
        return characters.first?.isNumber == true ? "_" + String(characters) : String(characters)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

/// A metric that has lines on the page.
protocol PrometheusValue: AnyObject, Sendable {
    func lines(_ name: String, _ labels: String) -> String
}

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
