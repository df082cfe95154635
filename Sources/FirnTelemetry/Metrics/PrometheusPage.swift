public import CoreMetrics
import FirnSync

/// Keeps metrics in memory and formats them as a page for Prometheus.
///
/// A swift-metrics factory: pass it to ``MetricsObserver/init(factory:)``, or bootstrap the process with it. Timers and
/// recorders become histograms; timers are shown in seconds.
///
/// Format: Prometheus' text-based exposition format 0.0.4.
public final class PrometheusPage: MetricsFactory {
    private struct Key: Hashable {
        let name: String
        let labels: String
    }

    private struct Pages {
        var values: [Key: any PrometheusValue] = [:]
        var kinds: [String: String] = [:]
    }

    private let pages = Locked(Pages())

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

    /// A counter of the page.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        value(label, dimensions, "counter", PrometheusNumber()) ?? PrometheusNumber()
    }

    /// A gauge of the page.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        value(label, dimensions, "gauge", PrometheusNumber()) ?? PrometheusNumber()
    }

    /// A histogram of the page, or a gauge if values must not be aggregated.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return value(label, dimensions, "gauge", PrometheusNumber()) ?? PrometheusNumber() }
        return value(label, dimensions, "histogram", PrometheusHistogram(scale: 1)) ?? PrometheusHistogram(scale: 1)
    }

    /// A histogram of the page, in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        value(label, dimensions, "histogram", PrometheusHistogram(scale: 1e-9)) ?? PrometheusHistogram(scale: 1e-9)
    }

    /// Does nothing: the metric stays on the page.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: the metric stays on the page.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: the metric stays on the page.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing: the metric stays on the page.
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns the value of a name and labels, shared by all callers. `nil` if the name has another kind of metric.
    private func value<Value: PrometheusValue>(
        _ label: String, _ dimensions: [(String, String)], _ kind: String, _ fresh: @autoclosure () -> Value
    ) -> Value? {
        let name = PrometheusPage.name(label)
        let labels = dimensions.map { "\(PrometheusPage.name($0.0))=\"\(PrometheusPage.escaped($0.1))\"" }
        let key = Key(name: name, labels: labels.joined(separator: ","))
        return pages.withLock { pages in
            guard pages.kinds[name, default: kind] == kind else { return nil }
            pages.kinds[name] = kind
            if let known = pages.values[key] { return known as? Value }
            let value = fresh()
            pages.values[key] = value
            return value
        }
    }

    /// Letters, digits, `_` and `:`, not beginning with a digit.
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
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

/// A metric that has lines on the page.
protocol PrometheusValue: AnyObject, Sendable {
    func lines(_ name: String, _ labels: String) -> String
}
