import FirnData
import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnHTTP

@Suite("What a guarded loader does not do", .timeLimit(.minutes(5)))
struct GuardFaultTests {
    private let body = LoaderRig.bytes(100)

    /// Returns a loader whose policy allows 127.0.0.1 only, in place of the public Internet.
    private func rig(
        _ answers: [String: [[String]]] = [:], _ change: (inout NetworkPolicy) -> Void = { _ in }
    ) throws -> (LoaderRig, FakeResolver) {
        let resolver = FakeResolver(answers)
        let rig = try LoaderRig { configuration in
            var policy = NetworkPolicy()
            policy.allowed = ["127.0.0.1"].compactMap { NetworkPolicy.AddressRange($0) }
            change(&policy)
            configuration.network = policy
            configuration.resolver = resolver
        }
        return (rig, resolver)
    }

    private func url(_ rig: LoaderRig, _ host: String, _ path: String = "/x") -> String {
        "http://\(host):\(rig.server.port)\(path)"
    }

    @Test func `A name is looked up once, and the connection goes to the checked address`() async throws {
        let (rig, resolver) = try rig(["images.example": [["127.0.0.1"]]])
        rig.server.respond(to: "/x", with: .body(body))
        let first = await rig.load(url: url(rig, "images.example"))
        #expect(first.error == nil && first.body == body)
        #expect(resolver.questions == ["images.example"])
        for _ in 0..<2 {
            await rig.server.requests.wait { $0.active == 0 }
            #expect(await rig.load(url: url(rig, "images.example")).body == body)
        }
        // The same address uses the same client, however often it is looked up.
        #expect(rig.server.connections.count == 1)
        #expect(rig.server.requests.calls.first?.headers["Host"] == "images.example:\(rig.server.port)")
    }

    @Test func `A name with a private address is refused, and nothing is sent`() async throws {
        let (rig, _) = try rig(["evil.example": [["169.254.169.254"]], "both.example": [["127.0.0.1", "10.0.0.1"]]])
        for (host, name) in [("evil.example", "a cloud's metadata service"), ("both.example", "private")] {
            let result = await rig.load(url: url(rig, host))
            #expect(result.error?.cause == .forbidden && result.error?.message.contains(name) == true)
            #expect(result.violations.isEmpty)
        }
        #expect(rig.server.connections.count == 0)
    }

    @Test func `A name that changes its address between check and connection is refused (F27)`() async throws {
        // The first answer of the resolver is harmless; a second look-up would lead inside.
        let (rig, resolver) = try rig(["rebinding.example": [["127.0.0.1"], ["127.0.0.2"]]])
        rig.server.respond(to: "/x", with: .body(body))
        let result = await rig.load(url: url(rig, "rebinding.example"))
        #expect(result.error == nil)
        #expect(resolver.questions.count == 1)
        // A connection to the present address is refused.
        let (second, _) = try self.rig(["rebinding.example": [["127.0.0.2"]]])
        let refused = await second.load(url: url(second, "rebinding.example"))
        #expect(refused.error?.cause == .forbidden)
    }

    @Test func `Every hop of a redirect is checked (F27)`() async throws {
        let (rig, _) = try rig(["a.example": [["127.0.0.1"]], "inside.example": [["192.168.0.1"]]])
        rig.server.respond(to: "/name", with: .redirect(to: "http://inside.example/x"))
        rig.server.respond(to: "/number", with: .redirect(to: "http://0x7f000002:\(rig.server.port)/x"))
        rig.server.respond(to: "/six", with: .redirect(to: "http://[::ffff:10.0.0.1]/x"))
        rig.server.respond(to: "/user", with: .redirect(to: "http://me:secret@127.0.0.1:\(rig.server.port)/x"))
        for path in ["/name", "/number", "/six", "/user"] {
            let result = await rig.load(url: url(rig, "a.example", path))
            #expect(result.error?.cause == .forbidden, "\(path)")
            #expect(result.response == nil)
        }
        #expect(rig.server.requests.calls.map(\.path) == ["/name", "/number", "/six", "/user"])
    }

    @Test(arguments: [
        "127.2", "0x7f.2", "0177.0.0.2", "2130706434", "[::1]", "[::ffff:127.0.0.2]", "[::7f00:2]", "0", "localhost",
    ])
    func `IP addresses are recognized in any notation`(host: String) async throws {
        let (rig, _) = try rig(["localhost": [["127.0.0.2"]]])
        let result = await rig.load(url: url(rig, host))
        #expect(result.error?.cause == .forbidden)
        #expect(rig.server.connections.count == 0)
    }

    @Test(arguments: ["2130706433", "0x7f.1", "127.1", "127.0.0.1"])
    func `An allowed address is reached in any notation`(host: String) async throws {
        let (rig, resolver) = try rig()
        rig.server.respond(to: "/x", with: .body(body))
        let result = await rig.load(url: url(rig, host))
        #expect(result.error == nil && result.body == body)
        #expect(resolver.questions.isEmpty)
    }

    @Test func `Only allowed ports are used`() async throws {
        let (rig, _) = try rig { $0.ports = [443] }
        let result = await rig.load("/x")
        #expect(result.error?.cause == .forbidden)
        #expect(rig.server.connections.count == 0)
    }

    @Test func `Limits of size and time apply`() async throws {
        let (rig, _) = try rig {
            var limits = ImageLimits()
            limits.maximumBytes = 1000
            $0.limits = limits
            $0.timeLimit = .milliseconds(300)
        }
        rig.server.respond(to: "/large", with: .steps([.endless(Data(count: 500))], framing: .chunked))
        rig.server.respond(to: "/slow", with: .steps([.bytes(body), .stall], framing: .chunked))
        #expect(await rig.load("/large").error?.cause == .tooLarge(limit: 1000))
        #expect(await rig.load("/slow").error?.message == "not finished within 0.3 seconds")
    }

    @Test func `If the first address does not respond, the next one is tried`() async throws {
        let (rig, resolver) = try rig(["two.example": [["127.0.0.9", "127.0.0.1"]]]) {
            $0.allowed = ["127.0.0.0/8"].compactMap { NetworkPolicy.AddressRange($0) }
        }
        rig.server.respond(to: "/x", with: .body(body))
        let result = await rig.load(url: url(rig, "two.example"))
        #expect(result.error == nil && result.body == body)
        #expect(resolver.questions == ["two.example"])
    }

    @Test func `An unknown host is reported by name`() async throws {
        let (rig, _) = try rig()
        let result = await rig.load(url: url(rig, "nobody.example"))
        #expect(result.error == DataLoadingError(.connection, "unknown host nobody.example"))
    }

    /// A loader as it is by default, for which 127.0.0.1 stands outside, and the rest of the machine inside.
    private func outsideRig() throws -> LoaderRig {
        try LoaderRig { configuration in
            configuration.redirectPolicy?.allowed = ["127.0.0.1"].compactMap { NetworkPolicy.AddressRange($0) }
            configuration.resolver = FakeResolver([
                "inside.example": [["127.0.0.2"]], "outside.example": [["127.0.0.1"]],
            ])
        }
    }

    @Test func `Without a policy a redirect from outside leads inside neither by name nor by number (F27)`()
        async throws
    {
        let rig = try outsideRig()
        rig.server.respond(to: "/name", with: .redirect(to: "http://inside.example:\(rig.server.port)/x"))
        rig.server.respond(to: "/number", with: .redirect(to: "http://127.0.0.2:\(rig.server.port)/x"))
        rig.server.respond(to: "/spelled", with: .redirect(to: "http://0x7f000002:\(rig.server.port)/x"))
        rig.server.respond(to: "/x", with: .body(body))
        for path in ["/name", "/number", "/spelled"] {
            let result = await rig.load(path)
            #expect(result.error?.cause == .forbidden, "\(path)")
            #expect(result.error?.message.contains("redirectPolicy") == true)
            #expect(result.violations.isEmpty)
        }
        #expect(rig.server.requests.calls.map(\.path) == ["/name", "/number", "/spelled"])
    }

    @Test func `Without a policy a redirect from outside leads outside, and one inside leads inside`() async throws {
        let rig = try outsideRig()
        rig.server.respond(to: "/a", with: .redirect(to: "http://outside.example:\(rig.server.port)/x"))
        rig.server.respond(to: "/x", with: .body(body))
        #expect(await rig.load("/a").body == body)
        // As it is made: both ends are inside.
        let (plain, other) = (try LoaderRig(), try ScriptedServer())
        plain.server.respond(to: "/a", with: .redirect(to: other.url("/x")))
        other.respond(to: "/x", with: .body(body))
        #expect(await plain.load("/a").body == body)
    }

    @Test func `By default, a loader sends no untrusted request to this machine (F27)`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .body(body))
        var request = DataRequest(url: rig.server.url("/x"))
        request.isUntrusted = true
        let recorder = Recorder<DataEvent>()
        _ = rig.loader.startLoading(request) { recorder.add($0) }
        #expect(await recorder.end().error?.cause == .forbidden)
        #expect(rig.server.connections.count == 0)

        let open = try LoaderRig { $0.untrustedPolicy = nil }
        open.server.respond(to: "/x", with: .body(body))
        request.url = open.server.url("/x")
        let second = Recorder<DataEvent>()
        _ = open.loader.startLoading(request) { second.add($0) }
        #expect(await second.end().body == body)
    }

    @Test func `The address of a connection is checked before it is made, whatever was looked up (F27)`() async throws {
        // A transfer that believes itself unguarded, as if the check of names had been passed by.
        let server = try ScriptedServer()
        var configuration = LoaderRig.patient
        configuration.network = NetworkPolicy()
        let engine = try LoaderEngine(configuration)
        let recorder = Recorder<DataEvent>()
        let transfer = HTTPTransfer(DataRequest(url: server.url("/x")), engine) { recorder.add($0) }
        engine.thread.execute {
            transfer.limits = TransferGuard()
            transfer.begin()
        }
        #expect(await recorder.end().error?.cause == .forbidden)
        #expect(server.connections.count == 0)
    }
}
