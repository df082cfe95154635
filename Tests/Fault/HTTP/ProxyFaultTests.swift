import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import Testing

@Suite("Through a proxy", .timeLimit(.minutes(5)))
struct ProxyFaultTests {
    private let body = LoaderRig.bytes(1000)

    /// Returns a scripted server that acts as the proxy and, in the tunnel, as every server behind it.
    private func rig(user: String? = nil, _ change: (inout DataLoader.Configuration) -> Void = { _ in }) throws -> (
        ScriptedServer, DataLoader
    ) {
        let server = try ScriptedServer()
        var settings = DataLoader.Configuration()
        settings.proxies = ProxySettings()
        settings.proxies.http = ProxyAddress(
            .http, host: "127.0.0.1", port: server.port, user: user, password: user.map { _ in "secret" })
        change(&settings)
        return (server, DataLoader(configuration: settings))
    }

    private func load(_ loader: DataLoader, _ url: String) async -> LoadRecorder.Result {
        let recorder = LoadRecorder()
        _ = loader.startLoading(DataRequest(url: url)) { recorder.receive($0) }
        return await recorder.end()
    }

    @Test func `A request uses a tunnel, and the proxy looks the name up`() async throws {
        let (server, loader) = try rig(user: "me")
        server.respond(to: "images.example:80", with: .status(200, "OK"))
        server.respond(to: "/x", with: .body(body))
        let result = await load(loader, "http://images.example/x")
        #expect(result.error == nil && result.body == body)
        let requests = server.record.requests
        #expect(requests.map(\.method) == ["CONNECT", "GET"])
        #expect(requests[0].headers["Proxy-Authorization"] == "Basic bWU6c2VjcmV0")
        #expect(requests[1].headers["Proxy-Authorization"] == nil)
        #expect(requests[1].headers["Host"] == "images.example")
    }

    @Test func `Requests to this machine bypass the proxy`() async throws {
        let (server, loader) = try rig()
        server.respond(to: "/x", with: .body(body))
        let result = await load(loader, server.url("/x"))
        #expect(result.error == nil)
        #expect(server.record.requests.map(\.method) == ["GET"])
    }

    @Test func `A proxy that requires credentials, or cannot connect, is reported`() async throws {
        let (server, loader) = try rig()
        server.respond(to: "locked.example:80", with: .status(407, "Proxy Authentication Required"))
        server.respond(to: "broken.example:80", with: .status(502, "Bad Gateway"))
        #expect(
            await load(loader, "http://locked.example/x").error?.message
                == "the proxy asks for a name and password; put them into its address")
        #expect(await load(loader, "http://broken.example/x").error?.message == "the proxy made no connection")
    }

    @Test func `Forbidden addresses are not requested through a proxy either`() async throws {
        let (server, loader) = try rig {
            $0.network = NetworkPolicy(NetworkPolicy.Rules())
            $0.resolver = FakeResolver(["inside.example": [["10.0.0.1"]], "outside.example": [["93.184.216.34"]]])
        }
        server.respond(to: "outside.example:80", with: .status(200, "OK"))
        server.respond(to: "/x", with: .body(body))
        #expect(await load(loader, "http://inside.example/x").error?.cause == .forbidden)
        #expect(await load(loader, "http://10.0.0.1/x").error?.cause == .forbidden)
        #expect(server.record.requests.isEmpty)
        #expect(await load(loader, "http://outside.example/x").body == body)
    }
}
