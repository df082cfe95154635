import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("The operator's port of the image server", .timeLimit(.minutes(3)))
struct ServeAdminTests {
    private func text(_ response: RawClient.Response) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test func `metrics, status and health are on the operator's port, and not on the port of images`() async throws {
        try await ServeFixture.run { fixture in
            for path in ["/health", "/metrics", "/status", "/", "/status.css", "/metrics?x=1"] {
                #expect(try await fixture.admin.get(path).status == 200, "\(path)")
            }
            for path in ["/metrics", "/status", "/status.css", "/"] {
                #expect(try await fixture.client.get(path).status == 404, "\(path)")
            }
            #expect(try await fixture.client.get("/health").status == 200)
            #expect(try await fixture.admin.get("/w:10/plain/local:///a.jpg").status == 404)
            #expect(try await fixture.admin.get("/metrics", method: "POST").status == 405)
            let head = try await fixture.admin.get("/status", method: "HEAD")
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test func `metrics count requests, cache hits, work and refusals`() async throws {
        try await ServeFixture.run({ $0.admission.perClient = 1 }) { fixture in
            for _ in 0..<3 { #expect(try await fixture.get("/w:10/plain/local:///a.jpg").status == 200) }
            #expect(try await fixture.client.get("/_/w:10/plain/local:///a.jpg").status == 403)
            #expect(try await fixture.client.get("/iiif/a.jpg/info.json").status == 200)
            let response = try await fixture.admin.get("/metrics")
            #expect(response["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = text(response).split(separator: "\n").map(String.init)
            for line in [
                #"firn_serve_requests_total{language="imgproxy",status="200"} 3"#,
                #"firn_serve_requests_total{language="imgproxy",status="403"} 1"#,
                #"firn_serve_requests_total{language="iiif",status="200"} 1"#,
                #"firn_serve_request_seconds_count{language="imgproxy"} 4"#,
                #"firn_serve_cache_hits_total{layer="memory"} 2"#, "firn_serve_results_made_total 1",
                #"firn_serve_refused_total{limit="client"} 0"#, "firn_serve_work_running 0",
                "# TYPE firn_serve_request_seconds histogram", "# TYPE firn_serve_connections gauge",
            ] {
                #expect(lines.contains(line), "\(line)")
            }
            #expect(lines.contains { $0.hasPrefix("firn_stage_duration_seconds_count{stage=\"decode\"} ") })
            let memory = lines.first { $0.hasPrefix("process_resident_memory_bytes ") }?.split(separator: " ").last
            #expect(memory.flatMap { Int($0) } ?? 0 > 1 << 20)
        }
    }

    @Test func `statuses that a source chooses are one label`() async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a.jpg", with: Array(repeating: .status(451, "No"), count: 8))
        try await ServeFixture.run({ settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
        }) { fixture in
            #expect(try await fixture.get("/w:10/plain/\(source.url("/a.jpg"))").status == 451)
            let metrics = text(try await fixture.admin.get("/metrics"))
            #expect(metrics.contains(#"firn_serve_requests_total{language="imgproxy",status="4xx"} 1"#))
            #expect(!metrics.contains(#"="451""#))
        }
    }

    @Test func `the status page has requests in work, errors and options, and no inline code`() async throws {
        let source = try ScriptedServer()
        let gate = Gate()
        source.respond(to: "/slow.jpg?token=abc", with: .steps([.hold(gate), .bytes(Data())], framing: .untilClose))
        try await ServeFixture.run(
            { $0.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 } },
            options: [("quality", "<80>", "default")]
        ) { fixture in
            #expect(try await fixture.get("/w:10/plain/local:///<script>.jpg").status == 404)
            async let slow = fixture.get("/w:10/plain/\(source.url("/slow.jpg"))%3Ftoken=abc")
            try await eventually { fixture.server.service.statistics.running > 0 }
            let response = try await fixture.admin.get("/status")
            let page = text(response)
            #expect(response["Content-Security-Policy"]?.contains("unsafe") == false)
            #expect(response["Cache-Control"] == "no-cache" && response["X-Content-Type-Options"] == "nosniff")
            #expect(page.contains("local:///&lt;script&gt;.jpg") && !page.contains("<script"))
            #expect(page.contains("there is no such local source") && page.contains("&lt;80&gt;"))
            #expect(page.contains(source.url("/slow.jpg")) && !page.contains("token"))
            for inline in ["<style", " style=", " onclick", "javascript:"] { #expect(!page.contains(inline)) }
            gate.open()
            _ = try await slow
        }
    }

    @Test func `the last errors are kept, and no more`() async throws {
        try await ServeFixture.run { fixture in
            for number in 0..<60 { _ = try await fixture.get("/w:10/plain/local:///no-\(number).jpg") }
            let page = text(try await fixture.admin.get("/status"))
            #expect(page.contains("no-59.jpg") && page.contains("no-10.jpg") && !page.contains("no-9.jpg"))
        }
    }

    @Test(arguments: [true, false])
    func `no log line, page or metric has a key, a signature or the query of a source`(_ isJSON: Bool) async throws {
        let source = try ScriptedServer()
        let jpeg = try ServeFixture.image(PixelSize(width: 8, height: 8), .jpeg)
        source.respond(to: "/a.jpg?token=hidden", with: .body(jpeg))
        let lines = LogLines()
        let logger = lines.logger(isJSON ? .json : .text)
        try await ServeFixture.run(
            { $0.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 } }, logger: logger
        ) { fixture in
            let address = source.url("/a.jpg") + "%3Ftoken=hidden"
            let path = try fixture.signed("/w:4/plain/\(address)")
            #expect(try await fixture.client.get(path).status == 200)
            #expect(try await fixture.get("/w:4/zz:hidden/plain/\(address)").status == 404)
            #expect(try await fixture.get("/w:4/plain/\(source.url("/b.jpg"))%3Ftoken=hidden@bmp").status >= 400)
            #expect(try await fixture.client.get("/hidden/w:4/plain/\(address)").status == 403)
            let signature = path.split(separator: "/").first.map(String.init) ?? "?"
            let pages = [text(try await fixture.admin.get("/status")), text(try await fixture.admin.get("/metrics"))]
            let logged = lines.all.filter { $0.contains("request") && $0.contains("imgproxy") }
            #expect(logged.count == 4 && logged.contains { $0.contains("/a.jpg") })
            for text in lines.all + pages {
                #expect(!text.contains("hidden") && !text.contains(signature) && !text.contains("secret"), "\(text)")
            }
        }
    }
}
