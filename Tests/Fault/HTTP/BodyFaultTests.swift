import FirnData
import FirnHTTP
import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@Suite("Wrong responses", .timeLimit(.minutes(5)))
struct BodyFaultTests {
    let body = LoaderRig.bytes(50_000)

    @Test func `A 404 is reported, and its connection is reused`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/gone", with: .status(404, "Not Found", body: Data(count: 2000)))
        for _ in 0..<3 {
            let result = await rig.load("/gone")
            #expect(result.error == DataLoadingError(.status(404), "the server responded with 404 Not Found"))
            #expect(result.response == nil && result.violations.isEmpty)
            await rig.server.requests.wait { $0.active == 0 }
        }
        #expect(rig.server.connections.count <= 2)
    }

    @Test func `A body that stalls in the middle is a timeout`() async throws {
        let rig = try LoaderRig { $0.idleTimeout = .milliseconds(500) }
        rig.server.respond(to: "/x", with: .steps([.bytes(body), .stall], framing: .statedLength(60_000)))
        let result = await rig.load("/x")
        #expect(result.error == DataLoadingError(.timeout, "nothing received for 0.5 seconds"))
        #expect(result.body == body && result.violations.isEmpty)
        await rig.server.requests.wait { $0.cancelled.map(\.path) == ["/x"] }
    }

    @Test func `A body shorter than stated is truncated`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .steps([.bytes(body), .cut], framing: .statedLength(50_001)))
        let result = await rig.load("/x")
        #expect(result.error == DataLoadingError(.truncated, "the body ended after 50000 of 50001 bytes"))
        #expect(result.body == body && result.violations.isEmpty)
    }

    @Test func `A connection reset in the body truncates it`() async throws {
        let rig = try LoaderRig()
        let gate = Gate()
        rig.server.respond(to: "/x", with: .steps([.bytes(body), .hold(gate), .reset], framing: .statedLength(60_000)))
        let (_, recorder) = rig.start("/x")
        await recorder.wait { $0.body.count == 50_000 }
        gate.open()
        let result = await recorder.end()
        #expect(result.error == DataLoadingError(.truncated, "the body ended after 50000 of 60000 bytes"))
        #expect(result.violations.isEmpty)
    }

    @Test func `A chunked body without its end is truncated`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .steps([.bytes(body), .cut], framing: .chunked))
        let result = await rig.load("/x")
        #expect(result.error?.cause == .truncated)
        #expect(result.violations.isEmpty)
    }

    @Test func `Bytes beyond the stated length are not part of the body`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .steps([.bytes(body)], framing: .statedLength(40_000)))
        let result = await rig.load("/x")
        #expect(result.error == nil)
        #expect(result.body == body.prefix(40_000) && result.violations.isEmpty)
    }

    @Test(arguments: [
        ScriptedResponse.Framing.length, .chunked, .untilClose,
    ])
    func `Bodies arrive completely in every framing`(framing: ScriptedResponse.Framing) async throws {
        let rig = try LoaderRig()
        let pieces: [ScriptedResponse.Step] = [.bytes(body.prefix(7)), .bytes(Data(body.dropFirst(7)))]
        rig.server.respond(to: "/x", with: .steps(pieces, framing: framing, headers: ["X-Test": "yes"]))
        let result = await rig.load("/x")
        #expect(result.error == nil && result.body == body && result.violations.isEmpty)
        #expect(result.response?.headers["x-test"] == "yes")
        #expect(result.response?.expectedLength == (framing == .length ? body.count : nil))
    }

    @Test func `A body with a stated length over the limit is not read`() async throws {
        let rig = try LoaderRig { $0.limits.maximumBytes = 1000 }
        rig.server.respond(to: "/x", with: .steps([.stall], framing: .statedLength(1001)))
        let result = await rig.load("/x")
        #expect(result.error?.cause == .tooLarge(limit: 1000))
        #expect(result.response == nil && result.violations.isEmpty)
        await rig.server.requests.wait { $0.cancelled.map(\.path) == ["/x"] }
    }

    @Test(arguments: [ScriptedResponse.Framing.chunked, .untilClose])
    func `An endless body ends at the limit`(framing: ScriptedResponse.Framing) async throws {
        let rig = try LoaderRig { $0.limits.maximumBytes = 100_000 }
        rig.server.respond(to: "/x", with: .steps([.endless(Data(count: 4096))], framing: framing))
        let result = await rig.load("/x")
        #expect(result.error?.cause == .tooLarge(limit: 100_000))
        #expect(result.body.count <= 100_000 && result.violations.isEmpty)
        await rig.server.requests.wait { $0.cancelled.map(\.path) == ["/x"] }
    }

    @Test func `A body that decompresses over the limit ends at the limit`() async throws {
        let rig = try LoaderRig { $0.limits.maximumBytes = 1000 }
        rig.server.respond(to: "/x", with: .body(GzipSamples.zeros100000, headers: ["Content-Encoding": "gzip"]))
        let result = await rig.load("/x")
        #expect(result.error?.cause == .tooLarge(limit: 1000))
        #expect(result.body.count <= 1000)
    }

    @Test func `A compressed body arrives decoded, without a length`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .body(GzipSamples.zeros100000, headers: ["Content-Encoding": "gzip"]))
        let result = await rig.load("/x")
        #expect(result.error == nil && result.body == Data(count: 100_000) && result.violations.isEmpty)
        #expect(result.response?.expectedLength == nil)
    }

    @Test func `A damaged compressed body is an error`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .body(body, headers: ["Content-Encoding": "gzip"]))
        let result = await rig.load("/x")
        #expect(result.error != nil && result.violations.isEmpty)
    }

    @Test func `A flood of header fields is an error and takes no memory`() async throws {
        let rig = try LoaderRig()
        var response = ScriptedResponse.body(body)
        for number in 0..<20_000 { response.headers.append("X-\(number)", "0123456789") }
        rig.server.respond(to: "/x", with: response)
        let result = await rig.load("/x")
        #expect(result.error != nil && result.response == nil && result.violations.isEmpty)
    }

    @Test func `An error's message is one line and does not contain the address`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/secret-name", with: .status(500, "Broken"))
        let result = await rig.load("/secret-name")
        let message = try #require(result.error?.message)
        #expect(!message.contains("secret-name") && !message.contains("\n"))
    }
}
