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
