#if Telemetry
import CoreMetrics
import FirnPipeline
import FirnSync
import FirnTelemetry
import FoundationEssentials
import InMemoryTracing
import Logging
import Testing
import Tracing

@Suite(.timeLimit(.minutes(5))) struct `Observers for the server's tools` {
    /// The lines of a log, with their levels.
    private final class Lines: Sendable {
        let all = Locked<[(Logger.Level, String, Logger.Metadata)]>([])
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.all.withLock { $0.append((event.level, "\(event.message)", event.metadata ?? [:])) }
        }
    }

    private func lines(_ level: Logger.Level) async throws -> [(Logger.Level, String, Logger.Metadata)] {
        let lines = Lines()
        var logger = Logger(label: "test") { _ in Handler(lines: lines) }
        logger.logLevel = level
        _ = try await MadeUpEvents.record([LogObserver(logger)])
        return lines.all.withLock { $0 }
    }

    @Test func `A log has a line for each request's end, failures as warnings`() async throws {
        let lines = try await lines(.info)
        try #require(lines.map(\.1) == ["request done", "request failed"])
        #expect(lines.map(\.0) == [.info, .warning])
        #expect(lines[0].2["firn.pixels"] == "1200" && lines[1].2["firn.source"] == "app://example.org/<none>")
    }

    @Test func `A log of everything has the stages`() async throws {
        let lines = try await lines(.trace)
        let stages = lines.filter { $0.1 == "stage ended" }.compactMap { $0.2["firn.stage"].map { "\($0)" } }
        #expect(stages.contains("transfer") && stages.contains("decode"))
        #expect(lines.contains { $0.1 == "hit in memory" } && lines.contains { $0.1 == "request cancelled" })
    }

    @Test func `A factory of swift-metrics counts what a page counts`() async throws {
        let (direct, factory) = (PrometheusPage(), PrometheusPage())
        _ = try await MadeUpEvents.record([MetricsObserver(page: direct), MetricsObserver(factory: factory)])
        #expect(direct.text.contains("firn_requests_total{end=\"loaded\"} 1\n"))
        #expect(direct.text == factory.text)
    }

    @Test func `Metrics of a process are on a page, one kind for each name`() {
        let page = PrometheusPage()
        Timer(label: "t", dimensions: [], factory: page).recordMilliseconds(3)
        Gauge(label: "g", factory: page).record(2.5)
        Recorder(label: "r", factory: page).record(7)
        let text = page.text
        #expect(text.contains("t_sum 0.003\n") && text.contains("# TYPE g gauge\ng 2.5\n"))
        #expect(text.contains("# TYPE r histogram\n") && text.contains("r_sum 7\n"))
        CoreMetrics.Counter(label: "t", factory: page).increment()
        #expect(page.text == text)
    }

    @Test func `A request's span is in its caller's, and the stages are in the request's`() async throws {
        let tracer = InMemoryTracer()
        _ = try await tracer.withSpan("caller") { _ in try await MadeUpEvents.record([SpanObserver(tracer)]) }
        let spans = tracer.finishedSpans
        let caller = try #require(spans.first { $0.operationName == "caller" })
        let requests = spans.filter { $0.operationName == "firn.request" }
        #expect(requests.count == 3 && requests.allSatisfy { $0.parentSpanID == caller.spanID })
        let decode = try #require(spans.first { $0.operationName == "firn.decode" })
        #expect(requests.contains { $0.spanID == decode.parentSpanID })
        #expect(requests.filter { $0.status?.code == .error }.count == 2)
        #expect(tracer.activeSpans.isEmpty)
    }
}
#endif
