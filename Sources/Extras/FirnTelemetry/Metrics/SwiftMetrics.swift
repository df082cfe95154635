#if Telemetry
public import CoreMetrics

extension MetricsObserver {
    /// Creates an observer that counts with swift-metrics.
    ///
    /// - Parameter factory: the factory of the metrics. Default: that of the process.
    public convenience init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.init(FactoryMetrics(factory: factory))
    }
}

private struct FactoryMetrics: MetricSource {
    let factory: any MetricsFactory

    func counter(_ name: String, _ labels: [(String, String)]) -> Metric {
        let counter = Counter(label: name, dimensions: labels, factory: factory)
        return Metric { counter.increment(by: $0) }
    }

    func gauge(_ name: String, _ labels: [(String, String)]) -> Metric {
        let gauge = Gauge(label: name, dimensions: labels, factory: factory)
        return Metric { gauge.record($0) }
    }

    func timer(_ name: String, _ labels: [(String, String)]) -> Metric {
        let timer = Timer(label: name, dimensions: labels, preferredDisplayUnit: .seconds, factory: factory)
        return Metric { timer.recordNanoseconds($0) }
    }
}

extension PrometheusPage: MetricsFactory {
    /// A counter of the page.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        number(label, dimensions, "counter")
    }

    /// A gauge of the page.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        number(label, dimensions, "gauge")
    }

    /// A histogram of the page, or a gauge if values must not be aggregated.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return number(label, dimensions, "gauge") }
        return histogram(label, dimensions, scale: 1)
    }

    /// A histogram of the page, in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions, scale: 1e-9)
    }

    /// Does nothing: the metric stays on the page.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: the metric stays on the page.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: the metric stays on the page.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing: the metric stays on the page.
    public func destroyTimer(_ handler: any TimerHandler) {}
}

extension PrometheusNumber: CounterHandler, MeterHandler, RecorderHandler {}
extension PrometheusHistogram: TimerHandler, RecorderHandler {}
#endif
