import FirnCache
import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests the cache over real connections: it passes responses on as the server sent them, and serves them again from
/// the store.
@Suite(.timeLimit(.minutes(5))) struct CachingLoaderTests {
    struct Rig {
        let server: ScriptedServer
        let cache: HTTPCache

        init() throws {
            server = try ScriptedServer()
            var configuration = DataLoader.Configuration()
            configuration.idleTimeout = .seconds(300)
            cache = HTTPCache(
                configuration: configuration, store: DataCache(directory: "/c", fileSystem: InMemoryFileSystem()))
        }

        func load(
            _ path: String, method: String = "GET", headers: HTTPHeaderFields = [:]
        ) async -> Recorder<DataEvent>.Record {
            let recorder = Recorder<DataEvent>()
            let request = DataRequest(url: server.url(path), method: method, headers: headers)
            _ = cache.startLoading(request) { recorder.add($0) }
            return await recorder.end()
        }
    }

    private static let control: HTTPHeaderFields = ["Cache-Control": "max-age=600", "ETag": "\"a\""]

    @Test func `A response of any status is delivered with its body, and reused`() async throws {
        let rig = try Rig()
        var response = ScriptedResponse.status(404, "Not Found", body: Data("gone".utf8))
        response.headers = Self.control
        rig.server.respond(to: "/x", with: response)
        for _ in 0..<2 {
            let result = await rig.load("/x")
            #expect(result.response?.status == 404 && result.body == Data("gone".utf8) && result.error == nil)
            #expect(result.violations.isEmpty)
        }
        #expect(rig.server.requests.count == 1)
    }

    @Test func `A redirect is delivered, not followed`() async throws {
        let rig = try Rig()
        var response = ScriptedResponse.redirect(to: "/y", status: 301)
        response.headers.append("Cache-Control", "max-age=600")
        rig.server.respond(to: "/x", with: response)
        for _ in 0..<2 {
            let result = await rig.load("/x")
            #expect(result.response?.status == 301 && result.response?.headers["Location"] == "/y")
        }
        #expect(rig.server.requests.calls.map(\.path) == ["/x"])
    }

    @Test func `A compressed body stays compressed, with its header field`() async throws {
        let rig = try Rig()
        var headers = Self.control
        headers.append("Content-Encoding", "gzip")
        rig.server.respond(
            to: "/x", with: .steps([.bytes(GzipSamples.zeros100000)], framing: .chunked, headers: headers))
        for _ in 0..<2 {
            let result = await rig.load("/x", headers: ["Accept-Encoding": "gzip"])
            #expect(result.body == GzipSamples.zeros100000)
            #expect(result.response?.headers["Content-Encoding"] == "gzip")
            #expect(result.response?.headers["Transfer-Encoding"] == nil)
        }
        #expect(rig.server.requests.count == 1)
    }

    @Test func `A truncated body is delivered as such and not stored`() async throws {
        let rig = try Rig()
        let whole = Data("0123456789".utf8)
        rig.server.respond(
            to: "/x",
            with: .steps([.bytes(whole.prefix(5)), .cut], framing: .statedLength(10), headers: Self.control),
            .body(whole, headers: Self.control))
        #expect(await rig.load("/x").error?.cause == .truncated)
        #expect(await rig.load("/x").body == whole)
        #expect(await rig.load("/x").body == whole)
        #expect(rig.server.requests.count == 2)
    }

    @Test func `A stale response is revalidated over the network`() async throws {
        let rig = try Rig()
        var confirmation = ScriptedResponse.status(304, "Not Modified")
        confirmation.headers = ["ETag": "\"a\"", "A": "2"]
        confirmation.framing = .statedLength(10)
        rig.server.respond(
            to: "/x", with: .body(Data("0123456789".utf8), headers: ["Cache-Control": "no-cache", "ETag": "\"a\""]),
            confirmation)
        _ = await rig.load("/x")
        let result = await rig.load("/x")
        #expect(result.response?.status == 200 && result.body == Data("0123456789".utf8))
        #expect(result.response?.headers["A"] == "2")
        #expect(rig.server.requests.calls.last?.headers["If-None-Match"] == "\"a\"")
    }

    @Test func `HEAD is sent as HEAD`() async throws {
        let rig = try Rig()
        rig.server.respond(to: "/x", with: .body(Data(count: 10), headers: Self.control))
        let result = await rig.load("/x", method: "HEAD")
        #expect(result.response?.status == 200 && result.body.isEmpty && result.error == nil)
        #expect(result.response?.headers["Content-Length"] == "10")
        #expect(rig.server.requests.calls.map(\.method) == ["HEAD"])
    }

    @Test func `The plain loader delivers a 304 only to a conditional request`() async throws {
        let rig = try LoaderRig()
        var response = ScriptedResponse.status(304, "Not Modified")
        response.headers = ["ETag": "\"a\""]
        rig.server.respond(to: "/x", with: response)
        let asked = await rig.load("/x", headers: ["If-None-Match": "\"a\""])
        #expect(asked.response?.status == 304 && asked.body.isEmpty && asked.error == nil)
        #expect(await rig.load("/x").error?.cause == .status(304))
    }
}
