@_exported public import FirnPipeline
import FirnSync

/// Counts the events of a pipeline, on a page for Prometheus or with swift-metrics. Names and dimensions are stable:
///
/// | name | kind | dimensions |
/// |---|---|---|
/// | `firn_requests_total` | counter | `end`: `loaded`, `memory`, `bitmap`, `disk`, `failed`, `cancelled` |
/// | `firn_requests_running` | gauge | |
/// | `firn_request_duration_seconds` | timer | `end`, as above, but `memory` only for hits that were found by a job |
/// | `firn_stage_duration_seconds` | timer | `stage`: `read`, `transfer`, `decode`, `process`, `store` |
/// | `firn_stage_wait_seconds` | timer | `stage` |
/// | `firn_stage_ends_total` | counter | `stage`; `outcome`: `finished`, `moved`, `suspended`, `failed`, `cancelled` |
/// | `firn_bytes_total` | counter | `kind`: `loaded`, `disk`, `read`, `stored`, `wasted` |
/// | `firn_pixels_total` | counter | `stage`: `decode`, `process` |
/// | `firn_previews_total` | counter | |
/// | `firn_transfer_pauses_total` | counter | |
/// | `firn_data_cache_failures_total` | counter | |
/// | `firn_memory_bytes` | gauge | `owner`: `decodes`, `kept` |
public final class MetricsObserver: PipelineObserver {
    private let requests: [String: (count: Metric, time: Metric)]
    private let memoryHits: Metric
    private let running: Metric
    private let stages: [PipelineEvent.Stage: StageMetrics]
    private let bytes: [String: Metric]
    private let pixels: [PipelineEvent.Stage: Metric]
    private let previews: Metric
    private let pauses: Metric
    private let cacheFailures: Metric
    private let decoding: Metric
    private let kept: Metric
    private let started = Locked<[PipelineEvent.Number: Int64]>([:])

    private struct StageMetrics {
        let duration: Metric
        let wait: Metric
        let ends: [String: Metric]
    }

    /// Creates an observer that counts on a page for Prometheus.
    public convenience init(page: PrometheusPage) { self.init(page as any MetricSource) }

    init(_ source: any MetricSource) {
        func each<Key: Hashable, Value>(_ keys: [Key], _ value: (Key) -> Value) -> [Key: Value] {
            Dictionary(uniqueKeysWithValues: keys.map { ($0, value($0)) })
        }
        requests = each(["loaded", "memory", "bitmap", "disk", "failed", "cancelled"]) {
            let end = [("end", $0)]
            return (source.counter("firn_requests_total", end), source.timer("firn_request_duration_seconds", end))
        }
        memoryHits = source.counter("firn_requests_total", [("end", "memory")])
        running = source.gauge("firn_requests_running", [])
        stages = each(PipelineEvent.Stage.allCases) { stage in
            let name = ("stage", "\(stage)")
            return StageMetrics(
                duration: source.timer("firn_stage_duration_seconds", [name]),
                wait: source.timer("firn_stage_wait_seconds", [name]),
                ends: each(["finished", "moved", "suspended", "failed", "cancelled"]) {
                    source.counter("firn_stage_ends_total", [name, ("outcome", $0)])
                })
        }
        bytes = each(["loaded", "disk", "read", "stored", "wasted"]) {
            source.counter("firn_bytes_total", [("kind", $0)])
        }
        pixels = each([.decode, .process]) { source.counter("firn_pixels_total", [("stage", "\($0)")]) }
        previews = source.counter("firn_previews_total", [])
        pauses = source.counter("firn_transfer_pauses_total", [])
        cacheFailures = source.counter("firn_data_cache_failures_total", [])
        decoding = source.gauge("firn_memory_bytes", [("owner", "decodes")])
        kept = source.gauge("firn_memory_bytes", [("owner", "kept")])
    }

    /// Counts an event.
    public func pipeline(didObserve event: PipelineEvent) {
        switch event.kind {
        case .memoryHit: memoryHits.increment()
        case .taskStarted(let number, _):
            running.record(
                started.withLock { started in
                    started[number] = event.time.nanoseconds
                    return started.count
                })
        case .taskEnded(let number, let end): countEnd(number, end, event.time.nanoseconds)
        case .jobStarted(let start): stages[start.stage]?.wait.record(start.waited.nanoseconds)
        case .jobEnded(let end): countEnd(end)
        case .previewShown(_, let tasks): previews.record(tasks)
        case .transferPaused: pauses.increment()
        case .dataCacheFailed: cacheFailures.increment()
        case .memoryUsed(let decodes, let others):
            decoding.record(decodes)
            kept.record(others)
        case .taskChangedPriority, .taskPaused, .taskResumed, .transferResponded, .transferArrived, .transferReleased,
            .transferResumed, .isolationUnavailable:
            break
        }
    }

    private func countEnd(_ number: PipelineEvent.Number, _ end: PipelineEvent.TaskEnd, _ time: Int64) {
        let (start, left) = started.withLock { ($0.removeValue(forKey: number), $0.count) }
        running.record(left)
        let kind =
            switch end {
            case .image(let cache, _): cache?.rawValue ?? "loaded"
            case .failure(let error): error.fault == .cancelled ? "cancelled" : "failed"
            }
        requests[kind]?.count.increment()
        if let start { requests[kind]?.time.record(max(0, time - start)) }
    }

    private func countEnd(_ end: PipelineEvent.JobEnd) {
        let stage = stages[end.stage]
        stage?.duration.record(end.duration.nanoseconds)
        stage?.ends[MetricsObserver.word(end.outcome)]?.increment()
        pixels[end.stage]?.record(end.pixels)
        if end.wastedBytes > 0 { bytes["wasted"]?.record(end.wastedBytes) }
        guard end.bytes > 0 else { return }
        let kind =
            switch end.stage {
            case .transfer: "loaded"
            case .store: "stored"
            default: end.isFromDisk ? "disk" : "read"
            }
        bytes[kind]?.record(end.bytes)
    }

    private static func word(_ outcome: PipelineEvent.Outcome) -> String {
        switch outcome {
        case .finished: "finished"
        case .moved: "moved"
        case .suspended: "suspended"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}

/// A metric. A recorded value is added to a counter, becomes the value of a gauge, or is a duration in nanoseconds.
package struct Metric: Sendable {
    private let take: @Sendable (Int64) -> Void

    init(_ take: @escaping @Sendable (Int64) -> Void) { self.take = take }

    package func record(_ value: some BinaryInteger) { take(Int64(value)) }

    package func increment() { take(1) }
}

/// A registry of metrics: a ``PrometheusPage`` or a factory of swift-metrics.
///
/// Metrics of the same name and labels are the same metric.
protocol MetricSource: Sendable {
    func counter(_ name: String, _ labels: [(String, String)]) -> Metric
    func gauge(_ name: String, _ labels: [(String, String)]) -> Metric
    /// A timer takes nanoseconds and shows seconds.
    func timer(_ name: String, _ labels: [(String, String)]) -> Metric
}
