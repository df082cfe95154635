/// A metric: what it takes is added to a counter, becomes the value of a gauge, or is a duration in nanoseconds.
package struct Metric: Sendable {
    private let take: @Sendable (Int64) -> Void

    init(_ take: @escaping @Sendable (Int64) -> Void) { self.take = take }

    package func record(_ value: Int64) { take(value) }
    package func record(_ value: Int) { take(Int64(value)) }

    /// Adds 1 to a counter.
    package func increment() { take(1) }
}

/// A place where metrics are kept: a ``PrometheusPage``, or a factory of swift-metrics.
///
/// Metrics of the same name and labels are the same metric.
protocol MetricSource: Sendable {
    func counter(_ name: String, _ labels: [(String, String)]) -> Metric
    func gauge(_ name: String, _ labels: [(String, String)]) -> Metric
    /// A timer takes nanoseconds and shows seconds.
    func timer(_ name: String, _ labels: [(String, String)]) -> Metric
}
