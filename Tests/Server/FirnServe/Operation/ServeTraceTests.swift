import InMemoryTracing
import Testing
import Tracing

@Suite("Traces of the image server", .timeLimit(.minutes(3)))
struct ServeTraceTests {
    @Test func `each request and each result that is made is a span`() async throws {
        let tracer = InMemoryTracer()
        try await ServeFixture.run(tracer: tracer) { fixture in
            let target = try fixture.signed("/w:9/plain/local:///a.jpg")
            let text = "GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n"
            // Made, served from memory, and compared by its bytes.
            _ = try await fixture.client.inTurn([text, text, text])
            _ = try await fixture.client.get("/_/w:9/plain/local:///a.jpg")
        }
        let spans = tracer.finishedSpans
        let requests = spans.filter { $0.operationName == "firn.serve.request" }
        #expect(requests.count == 4 && requests.allSatisfy { $0.kind == .server })
        let statuses = requests.compactMap { $0.attributes["http.response.status_code"]?.toSpanAttribute() }.map {
            "\($0)"
        }
        #expect(statuses.count { $0.contains("200") } == 3 && statuses.count { $0.contains("403") } == 1)
        let renders = spans.filter { $0.operationName == "firn.serve.render" }
        #expect(renders.count == 1)
        #expect(renders.first?.traceID == requests.first?.traceID)
    }
}
