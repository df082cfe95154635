import FirnReport
import FirnSync
import FirnTelemetry

/// The metrics of a server. Labels have few values: no addresses or messages, and no hosts but those that do not
/// respond in time.
///
/// `Documentation/Serve.md` lists the names.
final class ServeMetrics: Sendable {
    private let page = PrometheusPage()
    /// The counts of each core since the page was last read. Requests on different cores write to separate memory.
    private let tallies = PerCore { Locked<[Kind: Tally]>([:]) }
    let observer: any PipelineObserver

    init() { observer = MetricsObserver(page: page) }

    func count(_ language: RequestLanguage, status: Int, bytes: Int, time: Duration) {
        let kind = Kind(language: language, status: status)
        tallies.current.pointee.withLock { $0[kind, default: Tally()].count(bytes, time) }
    }

    private struct Kind: Hashable {
        let language: RequestLanguage
        let status: Int
    }

    /// The completed requests of a kind.
    private struct Tally: Sendable {
        var bytes = 0
        var seconds = HistogramCounts()

        mutating func count(_ bytes: Int, _ time: Duration) {
            self.bytes += bytes
            seconds.record(Double(time.nanoseconds) * 1e-9)
        }
    }

    /// Moves the counts of all cores to the page.
    private func collect() {
        for core in 0..<tallies.count {
            let counted = tallies[core].pointee.withLock { exchange(&$0, with: [:]) }
            for (kind, tally) in counted {
                let name = ("language", kind.language.rawValue)
                let status = ("status", ServeMetrics.label(kind.status))
                page.counter("firn_serve_requests_total", [name, status]).record(tally.seconds.count)
                page.counter("firn_serve_response_bytes_total", [name]).record(tally.bytes)
                page.add(tally.seconds, "firn_serve_request_seconds", [name])
            }
        }
    }

    /// Returns the label of a status. Statuses that only sources choose are grouped.
    private static func label(_ status: Int) -> String {
        switch status {
        case 200, 204, 206, 303, 304, 400, 403, 404, 405, 413, 416, 422, 429, 499, 500, 501, 502, 503, 504:
            String(status)
        case 400...499: "4xx"
        default: "other"
        }
    }

    /// Returns the page for Prometheus with the current numbers of the service.
    func text(_ counters: ServiceCounters, connections: Int, closed: Int) -> String {
        var text = ""
        func add(_ name: String, _ kind: String, _ value: Int) {
            text += "# TYPE \(name) \(kind)\n\(name) \(value)\n"
        }
        func add(_ name: String, _ label: String, _ values: [(String, Int)], kind: String = "counter") {
            text += "# TYPE \(name) \(kind)\n"
            for (value, number) in values { text += "\(name){\(label)=\"\(value)\"} \(number)\n" }
        }
        add("firn_serve_results_made_total", "counter", counters.made)
        add(
            "firn_serve_cache_hits_total", "layer",
            [("memory", counters.memoryHits), ("disk", counters.diskHits), ("store", counters.storeHits)])
        add("firn_serve_repeated_total", "counter", counters.repeated)
        add(
            "firn_serve_refused_total", "limit",
            AdmissionError.allCases.map { ($0.label, counters.refusals[$0] ?? 0) })
        add("firn_serve_store_waits_total", "counter", counters.storeWaits)
        add(
            "firn_serve_store_faults_total", "cause",
            RedisFault.allCases.map { ($0.rawValue, counters.storeFaults[$0] ?? 0) })
        add("firn_serve_purges_total", "counter", counters.purges)
        add("firn_serve_purged_hits_total", "counter", counters.purgedHits)
        add("firn_serve_shared_total", "counter", counters.shared)
        add("firn_serve_work_running", "gauge", counters.running)
        add("firn_serve_work_waiting", "gauge", counters.waiting)
        add("firn_serve_work_admitted", "gauge", counters.running)
        add("firn_serve_work_computing", "gauge", counters.computing)
        add("firn_serve_source_places", "host", counters.places.sorted { $0.key < $1.key }, kind: "gauge")
        add("firn_serve_result_memory_bytes", "gauge", counters.memoryBytes)
        add("firn_serve_connections", "gauge", connections)
        add("firn_serve_connections_closed_total", "counter", closed)
        add("firn_serve_decoder_deaths_total", "counter", counters.decoderDeaths)
        add(
            "firn_serve_spans_total", "result",
            [("exported", counters.spans.exported), ("dropped", counters.spans.dropped)])
        if let bytes = PeakMemory.now { add("process_resident_memory_bytes", "gauge", bytes) }
        collect()
        return page.text + text
    }
}
