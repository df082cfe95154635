import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import NIOSSL
import Testing

@Suite("TLS and HTTP/2, for real", .timeLimit(.minutes(5)))
struct TLSFaultTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    private func loader(_ change: (inout DataLoader.Configuration) -> Void = { _ in }) -> DataLoader {
        var configuration = DataLoader.Configuration()
        configuration.connectTimeout = .seconds(300)
        configuration.idleTimeout = .seconds(300)
        configuration.authorities = Data(authority.certificate.utf8)
        change(&configuration)
        return DataLoader(configuration: configuration)
    }

    private func load(
        _ server: TLSServer, _ loader: DataLoader, host: String = "localhost", headers: HTTPHeaderFields = [:]
    ) async -> (Recorder<DataEvent>.Record, TransferMetrics?) {
        let recorder = Recorder<DataEvent>()
        let transfer = loader.startLoading(
            DataRequest(url: "https://\(host):\(server.port)/x", headers: headers)
        ) { recorder.add($0) }
        return (await recorder.end(), transfer.metrics)
    }

    @Test(arguments: [("h2", "HTTP/2"), ("http/1.1", "HTTP/1.1")])
    func `The protocol that the server offers is used`(offer: String, version: String) async throws {
        let server = try await TLSServer(authority.sign("localhost"), protocols: [offer])
        let loader = loader()
        for number in 0..<3 {
            let (result, metrics) = await load(server, loader, headers: ["X-Own": "mine"])
            #expect(result.error == nil && result.body == Data("hello".utf8) && result.violations.isEmpty)
            #expect(metrics?.networkProtocol == version && metrics?.isConnectionReused == (number > 0))
            #expect((metrics?.secure != nil) == (number == 0))
        }
        #expect(server.connections == 1)
        #expect(server.requests.map(\.version) == [version, version, version])
        let sent = try #require(server.requests.first).headers
        #expect(sent["x-own"] == "mine" && sent["user-agent"] == "Firn/0.1.0" && sent["firn-ticket"] == nil)
    }

    @Test func `HTTP/2 can be disabled, and carries many requests over one connection`() async throws {
        let server = try await TLSServer(authority.sign("localhost"))
        let plain = loader { $0.allowsHTTP2 = false }
        #expect(await load(server, plain).1?.networkProtocol == "HTTP/1.1")
        let loader = loader { $0.transfersPerHost = 50 }
        await withTaskGroup { group in
            for _ in 0..<40 { group.addTask { await load(server, loader).0.body.count } }
            for await count in group { #expect(count == 5) }
        }
        #expect(server.requests.filter { $0.version == "HTTP/2" }.count == 40)
        #expect(server.connections == 2)
    }

    @Test func `An expired certificate is reported with its date`() async throws {
        let server = try await TLSServer(authority.sign("localhost", from: -86_400 * 30, to: -86_400 * 3))
        let (result, _) = await load(server, loader())
        #expect(result.error?.cause == .insecure && result.response == nil)
        #expect(
            result.error?.message.hasPrefix("the certificate of localhost:\(server.port) has expired on 20") == true)
    }

    @Test func `A certificate that is not valid yet is reported with its date`() async throws {
        let server = try await TLSServer(authority.sign("localhost", from: 86_400, to: 86_400 * 3))
        let (result, _) = await load(server, loader())
        #expect(result.error?.message.contains("is not valid before 20") == true)
    }

    @Test func `A certificate for another host is reported as such`() async throws {
        let server = try await TLSServer(authority.sign("elsewhere.example"))
        let (result, _) = await load(server, loader())
        #expect(
            result.error
                == DataLoadingError(.insecure, "the certificate of localhost:\(server.port) is for another host"))
        #expect(server.requests.isEmpty)
    }

    @Test func `An untrusted authority is reported as such`() async throws {
        let server = try await TLSServer(TestAuthority("another").sign("localhost"))
        let (result, _) = await load(server, loader())
        #expect(
            result.error
                == DataLoadingError(
                    .insecure, "the certificate of localhost:\(server.port) comes from no authority that is trusted"))
        #expect(server.requests.isEmpty)
    }

    @Test func `Authorities can be added, and verification disabled`() async throws {
        let other = try TestAuthority("another")
        let server = try await TLSServer(other.sign("localhost"))
        let added = loader { $0.furtherAuthorities = [Data(other.certificate.utf8)] }
        #expect(await load(server, added).0.error == nil)
        let blind = loader { $0.verifiesCertificates = false }
        #expect(await load(server, blind).0.error == nil)
    }

    @Test func `A TLS version that is too old is refused`() async throws {
        let server = try await TLSServer(authority.sign("localhost"), newest: .tlsv12)
        #expect(await load(server, loader()).0.error == nil)
        let (result, _) = await load(server, loader { $0.requiresTLS13 = true })
        #expect(result.error?.cause == .insecure)
        #expect(result.error?.message == "localhost:\(server.port) speaks no version of TLS that is allowed")
    }

    @Test func `A server that requires a client certificate gets it, and refuses without it`() async throws {
        let server = try await TLSServer(authority.sign("localhost"), newest: .tlsv12, clients: authority)
        let (refused, _) = await load(server, loader())
        #expect(refused.error != nil)
        let identity = try authority.sign("client")
        let known = loader {
            $0.setClientCertificate(chain: Data(identity.certificate.utf8), key: Data(identity.key.utf8))
        }
        #expect(await load(server, known).0.error == nil)
    }

    @Test func `Settings with unreadable certificates fail every transfer`() async throws {
        let server = try await TLSServer(authority.sign("localhost"))
        let (result, _) = await load(server, loader { $0.authorities = Data("no certificate".utf8) })
        #expect(
            result.error
                == DataLoadingError(.insecure, "the TLS settings name certificates that cannot be read"))
    }

    @Test func `A pinned address keeps the name that the certificate is checked for`() async throws {
        let server = try await TLSServer(authority.sign("images.example"))
        let resolver = FakeResolver(["images.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]])
        let loader = loader {
            $0.resolver = resolver
            $0.network = NetworkPolicy()
            $0.network?.allowed = ["127.0.0.1"].compactMap { NetworkPolicy.AddressRange($0) }
        }
        let (result, metrics) = await load(server, loader, host: "images.example")
        #expect(result.error == nil && metrics?.lookup != nil && metrics?.remoteAddress == "127.0.0.1")
        #expect(await load(server, loader, host: "other.example").0.error?.cause == .insecure)
    }

    @Test func `A redirect from https to http is refused unless it is allowed`() async throws {
        let plain = try ScriptedServer()
        plain.respond(to: "/x", with: .body(Data("plain".utf8)))
        var trail = RedirectChain(limit: 3)
        let request = DataRequest(url: "https://localhost/")
        guard case .fail(let error) = trail.follow(request, status: 302, headers: ["Location": plain.url("/x")]) else {
            Issue.record("followed")
            return
        }
        #expect(error.message == "a redirect from https to http is refused; allowsInsecureRedirects permits it")
        var open = RedirectChain(limit: 3, allowsInsecure: true)
        guard case .follow(let next) = open.follow(request, status: 302, headers: ["Location": plain.url("/x")]) else {
            Issue.record("not followed")
            return
        }
        #expect(next.url == plain.url("/x"))
    }

    @Test(arguments: [
        "", "-1", "+200", "0", "000", "099", "20", "2000", "99999999999999999999", "-9223372036854775808", "2\u{e9}",
        "abc",
    ])
    func `A status of HTTP/2 that is not three digits from 100 on is an error`(status: String) async throws {
        let server = try await RawStreamServer(authority.sign("localhost"), [[.status(status)]])
        let recorder = Recorder<DataEvent>()
        _ = loader().startLoading(DataRequest(url: "https://localhost:\(server.port)/x")) { recorder.add($0) }
        let result = await recorder.end()
        #expect(result.error != nil && result.response == nil && result.violations.isEmpty)
    }

    @Test func `The same server with a valid status works`() async throws {
        let server = try await RawStreamServer(authority.sign("localhost"), [[.status("200")]])
        let recorder = Recorder<DataEvent>()
        _ = loader().startLoading(DataRequest(url: "https://localhost:\(server.port)/x")) { recorder.add($0) }
        let result = await recorder.end()
        #expect(result.error == nil && result.response?.status == 200)
    }

    // MARK: Pauses

    @Test(arguments: [1, 3])
    func `Paused streams take little memory beside others, and go on where they were`(paused: Int) async throws {
        let length = 24 << 20
        let server = try await TLSServer(authority.sign("localhost"), length: length)
        let loader = loader { $0.transfersPerHost = 20 }
        let request = DataRequest(url: "https://localhost:\(server.port)/x")
        let waiting = (0..<paused).map { _ in TransferTally() }
        for tally in waiting {
            let (ready, first) = AsyncStream<Void>.makeStream()
            tally.transfer = loader.startLoading(request) { event in
                tally.count(event)
                if case .chunk = event, tally.pauseOnce() { first.finish() }
                // Events may come before `startLoading` has returned.
                if case .chunk = event, !tally.isReleased { tally.transfer?.pause() }
            }
            for await _ in ready {}
            tally.transfer?.pause()
        }
        await withTaskGroup { group in
            for _ in 0..<6 {
                group.addTask {
                    let tally = TransferTally()
                    _ = loader.startLoading(request) { tally.count($0) }
                    await tally.waitForEnd()
                    #expect(tally.bytes == length && tally.error == nil)
                }
            }
        }
        // Later, a connection without a stream may be too old to be used again.
        #expect(server.connections == 1)
        for tally in waiting {
            #expect(tally.ends == 0)
            tally.isReleased = true
            tally.transfer?.resume()
            await tally.waitForEnd()
            #expect(tally.error == nil)
            #expect(tally.bytes == length)
        }
        // Beyond 8 MiB in all, the connection is kept free: the rest was requested anew.
        #expect(server.requests.contains { $0.headers["range"] != nil })
    }

    @Test func `A stream that is paused alone is not requested again`() async throws {
        let length = 24 << 20
        let server = try await TLSServer(authority.sign("localhost"), length: length)
        let tally = TransferTally()
        let (ready, first) = AsyncStream<Void>.makeStream()
        let transfer = loader().startLoading(DataRequest(url: "https://localhost:\(server.port)/x")) { event in
            tally.count(event)
            if case .chunk = event, tally.pauseOnce() {
                tally.transfer?.pause()
                first.finish()
            }
        }
        tally.transfer = transfer
        for await _ in ready {}
        transfer.pause()
        transfer.resume()
        await tally.waitForEnd()
        #expect(tally.bytes == length && tally.error == nil && server.requests.count == 1)
    }
}
