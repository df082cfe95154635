import FirnTelemetry
import Testing

@Suite("Metrics of a pipeline on a page", .timeLimit(.minutes(5))) struct MetricsTests {
    @Test func `Metrics count each request once, and bytes and pixels`() async throws {
        let page = PrometheusPage()
        _ = try await MadeUpEvents.record([MetricsObserver(page: page)])
        let lines = Set(page.text.split(separator: "\n").map(String.init))
        for line in [
            "firn_requests_total{end=\"loaded\"} 1", "firn_requests_total{end=\"failed\"} 1",
            "firn_requests_total{end=\"cancelled\"} 1", "firn_requests_total{end=\"memory\"} 1",
            "firn_pixels_total{stage=\"decode\"} 1200",
            "firn_stage_ends_total{stage=\"decode\",outcome=\"finished\"} 1",
            "firn_requests_running 0", "firn_stage_duration_seconds_count{stage=\"transfer\"} 3",
            "# TYPE firn_request_duration_seconds histogram", "# TYPE firn_requests_total counter",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func `A page's buckets add up, and labels are escaped`() {
        let page = PrometheusPage()
        let timer = page.timer("t.ime", [("a", "x\"\\\n")])
        for milliseconds in [1, 3, 30, 200_000] { timer.record(milliseconds * 1_000_000) }
        let text = page.text
        #expect(text.contains("# TYPE t_ime histogram\n"))
        #expect(text.contains("t_ime_bucket{a=\"x\\\"\\\\\\n\",le=\"0.005\"} 2\n"))
        #expect(text.contains("le=\"100\"} 3\n") && text.contains("le=\"+Inf\"} 4\n") && text.contains("t_ime_count{"))
        // Each name has one kind: a second kind is dropped instead of breaking the page.
        page.counter("t.ime").increment()
        #expect(page.text == text)
    }
}
