import FirnData
import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

/// A collector on loopback, and the spans that it got.
struct SpanCollector: Sendable {
    /// The body of a request.
    struct Export: Decodable {
        struct Group: Decodable {
            let resource: Resource
            let scopeSpans: [Scope]
        }
        struct Resource: Decodable { let attributes: [Attribute] }
        struct Scope: Decodable { let spans: [Span] }

        let resourceSpans: [Group]
    }

    struct Attribute: Decodable {
        let key: String
        let value: [String: String]
    }

    struct Span: Decodable {
        struct Status: Decodable {
            let code: Int
            let message: String
        }

        let traceId: String
        let spanId: String
        let parentSpanId: String?
        let traceState: String?
        let flags: Int
        let name: String
        let kind: Int
        let startTimeUnixNano: String
        let endTimeUnixNano: String
        let attributes: [Attribute]
        let status: Status?

        subscript(_ name: String) -> String? { attributes.first { $0.key == name }?.value.values.first }
    }

    let server: S3TestServer

    /// - Parameter statuses: those of the first responses; later ones have 200.
    init(_ statuses: Int...) throws {
        server = try S3TestServer { request in
            .response(request.number < statuses.count ? statuses[request.number] : 200, body: "{}")
        }
    }

    var settings: TracingSettings {
        var settings = TracingSettings()
        settings.endpoint = "http://127.0.0.1:\(server.port)/v1/traces"
        return settings
    }

    var exports: [Export] {
        get throws { try server.requests.map { try JSONDecoder().decode(Export.self, from: Data($0.body)) } }
    }

    var spans: [Span] {
        get throws { try exports.flatMap(\.resourceSpans).flatMap(\.scopeSpans).flatMap(\.spans) }
    }
}

@Suite("Traces of the image server", .timeLimit(.minutes(3)))
struct ServeTraceTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "00-\(trace)-b7ad6b7169203331-01"

    private static func allow(_ source: ScriptedServer, _ collector: SpanCollector?) -> (inout ServeSettings) -> Void {
        { settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
            if let collector { settings.tracing = collector.settings }
        }
    }

    private static func source(_ headers: HTTPHeaderFields = HTTPHeaderFields()) throws -> ScriptedServer {
        let source = try ScriptedServer()
        let image = try ServeFixture.image(PixelSize(width: 100, height: 50), .jpeg)
        source.respond(to: "/a.jpg", with: Array(repeating: .body(image, headers: headers), count: 4))
        source.respond(to: "/a.jpg?token=secret", with: .body(image))
        return source
    }

    // MARK: Contexts

    @Test(arguments: [
        (parent, true), ("00-\(trace)-b7ad6b7169203331-00", false), ("00-\(trace)-b7ad6b7169203331-ff", true),
        ("cc-\(trace)-b7ad6b7169203331-01", true), ("cc-\(trace)-b7ad6b7169203331-01-later", true),
        ("00-00000000000000000000000000000001-0000000000000001-01", true),
    ])
    func `a valid traceparent is read`(_ text: String, _ isSampled: Bool) throws {
        let context = try #require(TraceContext(text, state: "a=1,b=2"))
        #expect(context.isSampled == isSampled && context.state == "a=1,b=2")
        #expect(context.parent == "00-\(text.dropFirst(3).prefix(50))\(isSampled ? "01" : "00")")
        let child = context.child()
        #expect(child.trace == context.trace && child.span != context.span && child.span.count == 16)
        #expect(child.isSampled == isSampled && child.state == context.state)
    }

    @Test(arguments: [
        nil, "", "00", "00-\(trace)-b7ad6b7169203331", "00-\(trace)-b7ad6b7169203331-01-",
        "00-\(trace)-b7ad6b7169203331-1",
        "00-\(trace)-b7ad6b7169203331-011", "ff-\(trace)-b7ad6b7169203331-01", "0-\(trace)-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-\(trace)-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "00-\(trace)-b7ad6b716920333g-01",
        "00-\(trace)-+7ad6b7169203331-01", "00-\(trace)-b7ad6b7169203331-0x", "cc-\(trace)-b7ad6b7169203331-01later",
        " \(parent)", "\(parent), \(parent)", "00_\(trace)-b7ad6b7169203331-01", "00-\(trace)é-b7ad6b716920333-01",
        String(repeating: "-", count: 55),
    ])
    func `an invalid traceparent is none`(_ text: String?) { #expect(TraceContext(text, state: "a=1") == nil) }

    @Test(arguments: [String(repeating: "a", count: 513), "a=\u{1B}", "a=é", "a=1\r\nX: y"])
    func `a tracestate that is too long or not printable is left out`(_ state: String) throws {
        let context = try #require(TraceContext(ServeTraceTests.parent, state: state))
        #expect(context.state == nil)
    }

    @Test func `a share of new traces is sampled`() {
        let sampled = (0..<2000).count { _ in TraceContext(sampled: 0.25).isSampled }
        #expect((350...650).contains(sampled))
        #expect(!(0..<100).contains { _ in TraceContext(sampled: 0).isSampled })
        #expect((0..<100).allSatisfy { _ in TraceContext(sampled: 1).isSampled })
    }

    // MARK: Export

    @Test func `spans are sent with fields, as OTLP in JSON`() async throws {
        let collector = try SpanCollector()
        var settings = collector.settings
        settings.headers = ["Authorization": "Bearer x"]
        settings.service = "images"
        let exporter = try #require(SpanExporter(settings, logger: ServeFixture.quiet))
        let root = exporter.trace()
        root.child().end(
            "child", .client, error: "no \"connection\"", ["text": "a", "number": 1 << 60, "none": nil as Int?])
        root.end("root", .server)
        await exporter.flush().value
        let head = try #require(collector.server.requests.first).head
        #expect(head.hasPrefix("POST /v1/traces HTTP/1.1\r\n") && head.contains("Authorization: Bearer x\r\n"))
        #expect(head.contains("Content-Type: application/json\r\n"))
        let resource = try #require(try collector.exports.first?.resourceSpans.first).resource
        #expect(resource.attributes.first { $0.key == "service.name" }?.value == ["stringValue": "images"])
        let spans = try collector.spans
        #expect(spans.map(\.name) == ["child", "root"] && spans.map(\.kind) == [3, 2])
        let (child, parent) = (try #require(spans.first), try #require(spans.last))
        let digits = Set("0123456789abcdef")
        #expect(parent.traceId.count == 32 && parent.spanId.count == 16)
        #expect((parent.traceId + parent.spanId).allSatisfy { digits.contains($0) })
        #expect(parent.parentSpanId == nil && parent.status == nil && parent.attributes.isEmpty)
        #expect(child.traceId == parent.traceId && child.parentSpanId == parent.spanId && child.flags == 1)
        #expect(child.attributes.map(\.key) == ["text", "number"])
        #expect(child.attributes.map(\.value) == [["stringValue": "a"], ["intValue": "1152921504606846976"]])
        #expect(child.status?.code == 2 && child.status?.message == "no \"connection\"")
        let now = Date().timeIntervalSince1970 * 1e9
        for span in spans {
            let (start, end) = (try #require(Int(span.startTimeUnixNano)), try #require(Int(span.endTimeUnixNano)))
            #expect(start <= end && abs(Double(end) - now) < 60e9)
        }
    }

    @Test func `a full batch is sent at once, and the rest at the interval and at the end`() async throws {
        let collector = try SpanCollector()
        let exporter = try #require(
            SpanExporter(collector.settings, logger: ServeFixture.quiet, interval: .milliseconds(10)))
        for _ in 0..<SpanExporter.batch { exporter.trace().end("full") }
        try await eventually { exporter.counts.exported == SpanExporter.batch }
        #expect(collector.server.requests.count == 1)
        let running = Task { await exporter.run() }
        exporter.trace().end("interval")
        try await eventually { exporter.counts.exported == SpanExporter.batch + 1 }
        exporter.trace().end("end")
        running.cancel()
        await running.value
        #expect(try collector.spans.suffix(2).map(\.name) == ["interval", "end"])
    }

    @Test func `spans that do not fit into the queue are dropped and counted`() async throws {
        let server = try S3TestServer { _ in .held([]) }
        var settings = TracingSettings()
        settings.endpoint = "http://127.0.0.1:\(server.port)/"
        let exporter = try #require(SpanExporter(settings, logger: ServeFixture.quiet))
        for _ in 0..<(SpanExporter.capacity + 10) { exporter.trace().end("x") }
        #expect(exporter.counts == SpanExporter.Counts(exported: 0, dropped: 10))
    }

    @Test func `a batch is sent again unless it is refused, and the log has one line for each change`() async throws {
        let (collector, lines) = (try SpanCollector(503, 429, 200, 400, 400), LogLines())
        let exporter = try #require(SpanExporter(collector.settings, logger: lines.logger(.text)))
        exporter.trace().end("one")
        for expected in [0, 0, 1] {
            await exporter.flush().value
            #expect(exporter.counts == SpanExporter.Counts(exported: expected, dropped: 0))
        }
        for dropped in [1, 2] {
            exporter.trace().end("refused")
            await exporter.flush().value
            #expect(exporter.counts == SpanExporter.Counts(exported: 1, dropped: dropped))
        }
        exporter.trace().end("two")
        await exporter.flush().value
        #expect(try collector.spans.map(\.name) == ["one", "one", "one", "refused", "refused", "two"])
        #expect(
            lines.all.map { $0.split(separator: " ").dropFirst().first } == ["warning", "notice", "warning", "notice"])
        #expect(lines.all.first?.contains("503") == true)
    }

    // MARK: Requests

    @Test func `a request, its result, the transfer and its steps are spans of the client's trace`() async throws {
        let (collector, source) = (try SpanCollector(), try ServeTraceTests.source())
        try await ServeFixture.run(ServeTraceTests.allow(source, collector)) { fixture in
            let response = try await fixture.get(
                "/w:9/bl:1/plain/\(source.url("/a.jpg%3Ftoken%3Dsecret"))",
                headers: ["traceparent": ServeTraceTests.parent, "tracestate": "a=1"])
            #expect(response.status == 200)
        }
        let spans = try collector.spans
        #expect(spans.map(\.name).sorted() == ["GET", "GET /{imgproxy}", "decode", "encode", "process", "render"])
        #expect(spans.allSatisfy { $0.traceId == ServeTraceTests.trace && $0.traceState == "a=1" })
        let request = try #require(spans.first { $0.kind == 2 })
        #expect(request.parentSpanId == "b7ad6b7169203331" && request["http.response.status_code"] == "200")
        #expect(request["http.request.method"] == "GET" && request["server.address"] == "test")
        #expect(request["firn.source"] == source.url("/a.jpg") && request.status == nil)
        let render = try #require(spans.first { $0.name == "render" })
        #expect(render.parentSpanId == request.spanId)
        #expect(spans.filter { $0.parentSpanId == render.spanId }.count == 4)
        let fetch = try #require(spans.first { $0.kind == 3 })
        #expect(fetch["http.response.status_code"] == "200" && fetch["server.address"] == "127.0.0.1")
        #expect(fetch["server.port"] == "\(source.port)" && fetch["url.full"] == source.url("/a.jpg"))
        #expect(fetch["http.response.body.size"].flatMap { Int($0) } ?? 0 > 100)
        let headers = try #require(source.requests.calls.first).headers
        #expect(
            headers["traceparent"] == "00-\(ServeTraceTests.trace)-\(fetch.spanId)-01" && headers["tracestate"] == "a=1"
        )
        #expect(!collector.server.requests.contains { String(decoding: $0.body, as: UTF8.self).contains("secret") })
    }

    @Test func `failures of a source are errors of the transfer and of the request`() async throws {
        let (collector, source) = (try SpanCollector(), try ScriptedServer())
        source.respond(to: "/a.jpg", with: .status(500, "No"))
        source.respond(to: "/b.jpg", with: .status(404, "No"))
        try await ServeFixture.run(ServeTraceTests.allow(source, collector)) { fixture in
            for (path, expected) in [("/a.jpg", 502), ("/b.jpg", 404)] {
                let response = try await fixture.get("/w:9/plain/\(source.url(path))")
                #expect(response.status == expected)
            }
        }
        let spans = try collector.spans
        let (requests, fetches) = (spans.filter { $0.kind == 2 }, spans.filter { $0.kind == 3 })
        #expect(requests.map { $0["http.response.status_code"] } == ["502", "404"])
        #expect(requests.map { $0["error.type"] } == ["502", nil] && requests.map { $0.status?.code } == [2, nil])
        #expect(fetches.map { $0["error.type"] } == ["500", "404"] && fetches.allSatisfy { $0.status?.code == 2 })
        #expect(Set(requests.map(\.traceId)).count == 2)
    }

    @Test func `the span of a request for data is no part of its identity`() {
        let request = DataRequest(url: "http://a/x.jpg")
        var traced = request
        traced.context = RequestNames()
        #expect(traced == request && Set([traced, request]).count == 1)
    }

    @Test func `the fields of a trace change no key: requests of two traces share a source`() async throws {
        let source = try ServeTraceTests.source(["Cache-Control": "max-age=60", "Vary": "traceparent"])
        let collector = try SpanCollector()
        let cache = FileManager.default.temporaryDirectory.path + "/firn-serve-cache-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: cache) }
        try await ServeFixture.run({ settings in
            ServeTraceTests.allow(source, collector)(&settings)
            settings.cacheDirectory = cache
        }) { fixture in
            for (width, digit) in [(9, "1"), (10, "2"), (11, "3")] {
                let parent = ServeTraceTests.parent.replacing("331-", with: "33\(digit)-")
                let response = try await fixture.get(
                    "/w:\(width)/plain/\(source.url("/a.jpg"))", headers: ["traceparent": parent])
                #expect(response.status == 200)
            }
        }
        #expect(source.requests.count == 1)
        let spans = try collector.spans
        #expect(spans.count { $0.kind == 3 } == 1)
    }

    @Test func `a trace that the client does not sample is passed on and not exported`() async throws {
        let (collector, source) = (try SpanCollector(), try ServeTraceTests.source())
        let parent = ServeTraceTests.parent.dropLast(2) + "00"
        try await ServeFixture.run(ServeTraceTests.allow(source, collector)) { fixture in
            _ = try await fixture.get("/w:9/plain/\(source.url("/a.jpg"))", headers: ["traceparent": String(parent)])
        }
        let sent = try #require(source.requests.calls.first?.headers["traceparent"])
        #expect(sent.hasPrefix("00-\(ServeTraceTests.trace)-") && sent.hasSuffix("-00") && sent != parent)
        #expect(collector.server.requests.isEmpty)
    }

    @Test func `without a collector a source gets no trace`() async throws {
        let source = try ServeTraceTests.source()
        try await ServeFixture.run(ServeTraceTests.allow(source, nil)) { fixture in
            _ = try await fixture.get(
                "/w:9/plain/\(source.url("/a.jpg"))", headers: ["traceparent": ServeTraceTests.parent])
        }
        #expect(source.requests.count == 1)
        #expect(
            source.requests.calls.allSatisfy { $0.headers["traceparent"] == nil && $0.headers["tracestate"] == nil })
    }

    @Test func `requests that are served from memory have spans, those with known bytes and of health have none`()
        async throws
    {
        let collector = try SpanCollector()
        try await ServeFixture.run({ $0.tracing = collector.settings }) { fixture in
            let target = try fixture.signed("/w:9/plain/local:///a.jpg")
            let text = "GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n"
            let traced = "GET \(target) HTTP/1.1\r\nHost: test\r\ntraceparent: \(ServeTraceTests.parent)\r\n\r\n"
            // Made, served from memory, and compared by its bytes; then with a trace.
            _ = try await fixture.client.inTurn([text, text, text, traced, traced])
            _ = try await fixture.client.get("/_/w:9/plain/local:///a.jpg")
            _ = try await fixture.client.get("/health")
            #expect(fixture.server.service.statistics.compared == 1)
            let metrics = String(decoding: try await fixture.admin.get("/metrics").body, as: UTF8.self)
            #expect(metrics.contains("firn_serve_spans_total{result=\"dropped\"} 0\n"))
        }
        let spans = try collector.spans
        let requests = spans.filter { $0.kind == 2 }
        #expect(requests.map { $0["http.response.status_code"] } == ["200", "200", "200", "200", "403"])
        #expect(requests.count { $0.parentSpanId == "b7ad6b7169203331" } == 2)
        #expect(spans.count { $0.name == "render" } == 1)
    }

    @Test func `a result that is made again in the background has a trace of its own`() async throws {
        let (collector, source) = (try SpanCollector(), try ServeTraceTests.source(["Cache-Control": "no-store"]))
        let clock = TestClock(seconds: 1_000_000)
        try await ServeFixture.run(
            { settings in
                ServeTraceTests.allow(source, collector)(&settings)
                settings.imgproxy.followsSources = false
                settings.resultLifetime = .seconds(100)
            },
            now: { Int(clock.seconds) }
        ) { fixture in
            for _ in 0..<2 {
                _ = try await fixture.get(
                    "/w:9/plain/\(source.url("/a.jpg"))", headers: ["traceparent": ServeTraceTests.parent])
                clock.seconds += 200
            }
            try await eventually { fixture.server.service.statistics.made == 2 }
            try await eventually { fixture.server.service.statistics.running == 0 }
        }
        let spans = try collector.spans
        let refresh = try #require(spans.first { $0.name == "refresh" })
        #expect(refresh.parentSpanId == nil && refresh.traceId != ServeTraceTests.trace)
        #expect(spans.filter { $0.kind == 3 }.map(\.parentSpanId).contains(refresh.spanId))
    }
}
