import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import Testing

@Suite("Through a proxy", .timeLimit(.minutes(5)))
struct ProxyFaultTests {
    private let body = LoaderRig.bytes(1000)

    /// Returns a scripted server that acts as the proxy and as every server behind it.
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

    private func load(_ loader: DataLoader, _ url: String) async -> Recorder<DataEvent>.Record {
        let recorder = Recorder<DataEvent>()
        _ = loader.startLoading(DataRequest(url: url)) { recorder.add($0) }
        return await recorder.end()
    }

    @Test func `A plain request goes to the proxy as it is`() async throws {
        let (server, loader) = try rig(user: "me")
        for host in ["images.example", "other.example:81"] {
            server.respond(to: "http://\(host)/x?y", with: .body(body))
            let result = await load(loader, "http://\(host)/x?y#z")
            #expect(result.error == nil && result.body == body)
        }
        let requests = server.requests.calls
        #expect(requests.map(\.method) == ["GET", "GET"])
        #expect(requests.map { $0.headers["Proxy-Authorization"] } == ["Basic bWU6c2VjcmV0", "Basic bWU6c2VjcmV0"])
        #expect(requests.map { $0.headers["Host"] } == ["images.example", "other.example:81"])
        #expect(server.connections.count == 1)
    }

    @Test func `A request over TLS uses a tunnel, in which no password of the proxy is sent`() async throws {
        let (server, loader) = try rig(user: "me") {
            $0.proxies.https = $0.proxies.http
            $0.headers["X-Token"] = "t"
        }
        server.respond(to: "images.example:443", with: .status(200, "OK"))
        let result = await load(loader, "https://images.example/x")
        #expect(result.error?.message == "images.example:443 does not speak TLS")
        let requests = server.requests.calls
        #expect(requests.map(\.method) == ["CONNECT"])
        let headers = try #require(requests.first).headers
        #expect(headers["Proxy-Authorization"] == "Basic bWU6c2VjcmV0" && headers["X-Token"] == nil)
    }

    @Test(arguments: [
        (ProxyAddress.Kind.socks4, "10.0.0.7"), (.socks4a, "images.example"), (.socks5, "10.0.0.7"),
        (.socks5h, "images.example"),
    ])
    func `Some SOCKS proxies get names, and others addresses`(kind: ProxyAddress.Kind, host: String) async throws {
        let server = try SOCKSServer(body: body, refusing: ["IPv6 253.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1", "10.0.0.6"])
        let resolver = FakeResolver(["images.example": [["fd00::1", "10.0.0.6", "10.0.0.7"]]])
        let (_, loader) = try rig {
            $0.proxies.http = ProxyAddress(kind, host: "127.0.0.1", port: server.port)
            $0.resolver = resolver
        }
        let result = await load(loader, "http://images.example/x")
        #expect(result.error == nil && result.body == body)
        #expect(server.hosts.last == host)
    }

    @Test func `A SOCKS proxy that gets addresses gets only those that are allowed`() async throws {
        let server = try SOCKSServer(body: body)
        let (_, loader) = try rig {
            $0.proxies.http = ProxyAddress(.socks5, host: "127.0.0.1", port: server.port)
            $0.network = NetworkPolicy()
            // The second list would be used if the name were looked up again, without a check.
            $0.resolver = FakeResolver([
                "inside.example": [["10.0.0.1"]], "outside.example": [["93.184.216.34"], ["10.0.0.1"]],
            ])
        }
        #expect(await load(loader, "http://inside.example/x").error?.cause == .forbidden)
        #expect(server.hosts.isEmpty)
        #expect(await load(loader, "http://outside.example/x").body == body)
        #expect(server.hosts == ["93.184.216.34"])
    }

    @Test func `A proxy that is not there is named, and so is one that refuses`() async throws {
        let closed = try LoopbackSocket(isListening: false)
        let socks = try SOCKSServer(body: body, refusing: ["images.example"])
        let proxies: [(ProxyAddress, String)] = [
            (ProxyAddress(.http, host: "127.0.0.1", port: closed.port), "connection refused by the proxy 127.0.0.1:"),
            (ProxyAddress(.socks5h, host: "127.0.0.1", port: closed.port), "connection refused by the proxy 127."),
            (ProxyAddress(.socks4a, host: "127.0.0.1", port: socks.port), "the proxy 127.0.0.1:\(socks.port) made no "),
            (ProxyAddress(.socks5h, host: "127.0.0.1", port: socks.port), "the proxy 127.0.0.1:\(socks.port) made no "),
            (ProxyAddress(.http, host: "none.invalid", port: 3128), "no connection to the proxy none.invalid:3128: "),
        ]
        for (proxy, message) in proxies {
            let (_, loader) = try rig { $0.proxies.http = proxy }
            let error = await load(loader, "http://images.example/x").error
            #expect(error?.cause == .connection && error?.message.hasPrefix(message) == true, "\(error as Any)")
        }
    }

    @Test func `A variable that cannot be read fails the request and is named`() async throws {
        let (server, loader) = try rig {
            $0.proxies = ProxySettings(environment: ["http_proxy": "http://me:p#ss@127.0.0.1:1"])
        }
        server.respond(to: "/x", with: .body(body))
        let error = await load(loader, "http://127.1.1.1.example:\(server.port)/x").error
        #expect(error?.message.contains("http_proxy") == true && server.connections.count == 0)
        #expect(await load(loader, server.url("/x")).body == body)
    }

    @Test func `Requests to this machine bypass the proxy`() async throws {
        let (server, loader) = try rig()
        server.respond(to: "/x", with: .body(body))
        let result = await load(loader, server.url("/x"))
        #expect(result.error == nil)
        #expect(server.requests.calls.map(\.method) == ["GET"])
    }

    @Test func `A proxy that requires credentials, or cannot connect, is reported`() async throws {
        let (server, loader) = try rig { $0.proxies.https = $0.proxies.http }
        let name = "the proxy 127.0.0.1:\(server.port)"
        for place in ["locked.example:443", "http://locked.example/x"] {
            server.respond(to: place, with: .status(407, "Proxy Authentication Required"))
        }
        server.respond(to: "broken.example:443", with: .status(502, "Bad Gateway"))
        for scheme in ["http", "https"] {
            let message = await load(loader, "\(scheme)://locked.example/x").error?.message
            #expect(
                message == "\(name) asks for a name and password; put them into its address", "\(message ?? "none")")
        }
        let message = await load(loader, "https://broken.example/x").error?.message
        #expect(message == "\(name) made no connection to broken.example:443: status 502", "\(message ?? "none")")
    }

    @Test func `Forbidden addresses are not requested through a proxy either`() async throws {
        let (server, loader) = try rig {
            $0.network = NetworkPolicy()
            $0.resolver = FakeResolver(["inside.example": [["10.0.0.1"]], "outside.example": [["93.184.216.34"]]])
        }
        server.respond(to: "http://outside.example/x", with: .body(body))
        #expect(await load(loader, "http://inside.example/x").error?.cause == .forbidden)
        #expect(await load(loader, "http://10.0.0.1/x").error?.cause == .forbidden)
        #expect(server.requests.isEmpty)
        #expect(await load(loader, "http://outside.example/x").body == body)
    }

    @Test func `A redirect through a proxy does not lead to an address inside`() async throws {
        let (server, loader) = try rig()
        server.respond(to: "http://outside.example/x", with: .redirect(to: "http://169.254.169.254/x"))
        #expect(await load(loader, "http://outside.example/x").error?.cause == .forbidden)
        #expect(server.requests.count == 1)
    }
}
