import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import Testing

@Suite("Redirects over the network", .timeLimit(.minutes(5)))
struct RedirectFaultTests {
    let body = LoaderRig.bytes(3000)

    @Test func `A chain is followed, and the response names the last address`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/a", with: .redirect(to: "/b", status: 301))
        rig.server.respond(to: "/b", with: .redirect(to: rig.server.url("/c"), status: 307))
        rig.server.respond(to: "/c", with: .body(body))
        let result = await rig.load("/a")
        #expect(result.error == nil && result.body == body && result.violations.isEmpty)
        #expect(result.response?.url == rig.server.url("/c"))
        #expect(rig.server.requests.calls.map(\.path) == ["/a", "/b", "/c"])
    }

    @Test func `A loop ends as an error, exactly once`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/a", with: .redirect(to: "/b"))
        rig.server.respond(to: "/b", with: .redirect(to: "/a"))
        let result = await rig.load("/a")
        #expect(result.error == DataLoadingError(.redirect, "the redirects go in a circle"))
        #expect(result.violations.isEmpty)
    }

    @Test func `A chain longer than the limit ends as an error`() async throws {
        let rig = try LoaderRig { $0.redirectLimit = 3 }
        for step in 0..<6 { rig.server.respond(to: "/\(step)", with: .redirect(to: "/\(step + 1)")) }
        let result = await rig.load("/0")
        #expect(result.error == DataLoadingError(.redirect, "more than 3 redirects, which redirectLimit allows"))
        #expect(rig.server.requests.count == 4)
    }

    @Test func `A redirect to another server does not send the password`() async throws {
        let rig = try LoaderRig()
        let other = try ScriptedServer()
        other.respond(to: "/b", with: .body(body))
        rig.server.respond(to: "/a", with: .redirect(to: other.url("/b")))
        let result = await rig.load("/a", headers: ["Authorization": "Basic x", "Cookie": "y", "X-Kept": "z"])
        #expect(result.body == body)
        #expect(rig.server.requests.calls.first?.headers["Authorization"] == "Basic x")
        let seen = try #require(other.requests.calls.first?.headers)
        #expect(seen["Authorization"] == nil && seen["Cookie"] == nil && seen["X-Kept"] == "z")
        #expect(seen["Host"] == "127.0.0.1:\(other.port)")
        #expect(seen["User-Agent"]?.hasPrefix("Firn/") == true)
    }

    @Test func `A redirect to a file is refused`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/a", with: .redirect(to: "file:///etc/passwd"))
        #expect(await rig.load("/a").error?.cause == .redirect)
    }

    @Test func `A redirect with an endless body is followed`() async throws {
        let rig = try LoaderRig()
        var response = ScriptedResponse.steps([.endless(Data(count: 4096))], framing: .chunked)
        response.status = 302
        response.headers["Location"] = "/b"
        rig.server.respond(to: "/a", with: response)
        rig.server.respond(to: "/b", with: .body(body))
        #expect(await rig.load("/a").body == body)
        await rig.server.requests.wait { $0.cancelled.map(\.path) == ["/a"] }
    }
}
