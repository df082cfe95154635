import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import Testing

/// Tests interim responses (RFC 9110 §15.2), which neither end a load nor delay it.
@Suite(.timeLimit(.minutes(5))) struct InterimResponseTests {
    private static let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
    private static let processing = "HTTP/1.1 102 Processing\r\n\r\n"
    private static let proceed = "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n"

    /// Returns the interim responses, each in its own write, then a body.
    private func response(_ interim: [String], _ body: Data) -> ScriptedResponse {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"
        // Single bytes arrive in separate reads, so the last byte of each head ends it alone.
        var steps: [ScriptedResponse.Step] = []
        for text in interim {
            steps += [.raw(Data(text.utf8.dropLast())), .drip(Data(text.utf8.suffix(1)), pause: .milliseconds(30))]
        }
        var response = ScriptedResponse.steps(steps + [.raw(Data(head.utf8)), .raw(body)])
        response.hasHead = false
        return response
    }

    @Test(arguments: [[hints], [processing], [proceed], [processing, processing, hints, proceed]])
    func `A load continues after interim responses`(interim: [String]) async throws {
        let rig = try LoaderRig { $0.idleTimeout = .seconds(20) }
        let body = LoaderRig.bytes(5000)
        rig.server.respond(to: "/x", with: response(interim, body))
        for _ in 0..<2 {
            let result = await rig.load("/x")
            #expect(result.error == nil && result.body == body && result.violations.isEmpty)
            #expect(result.response?.status == 200 && result.response?.headers["Link"] == nil)
            await rig.server.requests.wait { $0.active == 0 }
        }
        // Nothing remains on the connection that could spoil the next response.
        #expect(rig.server.connections.count == 1)
    }

    @Test func `An interim response in one write with the final one changes nothing`() async throws {
        let rig = try LoaderRig { $0.idleTimeout = .seconds(20) }
        rig.server.respond(to: "/x", with: .raw(Self.hints + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
        let result = await rig.load("/x")
        #expect(result.body == Data("ok".utf8) && result.response?.headers["Link"] == nil)
    }

    @Test func `A 204 has no body, whatever length it states`() async throws {
        let rig = try LoaderRig { $0.idleTimeout = .seconds(20) }
        var response = ScriptedResponse.steps([.raw(Data("HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n".utf8))])
        response.hasHead = false
        rig.server.respond(to: "/x", with: response)
        for _ in 0..<2 {
            let result = await rig.load("/x")
            #expect(result.error == nil && result.response?.status == 204 && result.body.isEmpty)
            #expect(result.response?.expectedLength == 0)
            await rig.server.requests.wait { $0.active == 0 }
        }
    }

    @Test(arguments: ["Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 2"])
    func `Equal lengths count as one`(fields: String) async throws {
        let rig = try LoaderRig { $0.idleTimeout = .seconds(20) }
        rig.server.respond(to: "/x", with: .raw("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nok"))
        let result = await rig.load("/x")
        #expect(result.error == nil && result.body == Data("ok".utf8))
    }
}
