import FirnData
import FirnHTTP
import FirnSystem
import FirnTesting
import FoundationEssentials
import Testing

@Suite("No connection", .timeLimit(.minutes(5)))
struct ConnectionFaultTests {
    @Test func `A refused connection is reported with host and port`() async throws {
        let rig = try LoaderRig()
        let port = try LoopbackSocket(isListening: false)
        let result = await rig.load(url: "http://127.0.0.1:\(port.port)/x")
        #expect(result.error == DataLoadingError(.connection, "connection refused by 127.0.0.1:\(port.port)"))
        #expect(result.violations.isEmpty && result.response == nil)
    }

    @Test func `An unknown host is reported`() async throws {
        // RFC 6761: names under `.invalid` never exist.
        let result = await (try LoaderRig()).load(url: "http://nobody.invalid/x")
        #expect(result.error == DataLoadingError(.connection, "unknown host nobody.invalid"))
    }

    @Test(arguments: [
        "", "x.png", "/x.png", "ftp://a/x", "http://", "file:///etc/passwd", "unix:///tmp/x", "http+unix://a/x",
        "https:///", "http://a:99999999/x", "http://a:0/x",
    ])
    func `A malformed address is the request's fault`(url: String) async throws {
        let result = await (try LoaderRig()).load(url: url)
        #expect(result.error?.cause == .badAddress)
        #expect(result.violations.isEmpty)
    }

    @Test func `A server without TLS is reported as such`() async throws {
        let rig = try LoaderRig()
        let url = rig.server.url("/x").replacing("http:", with: "https:")
        let result = await rig.load(url: url)
        #expect(
            result.error == DataLoadingError(.insecure, "127.0.0.1:\(rig.server.port) does not speak TLS"))
    }

    @Test func `Programs that are started later do not inherit connections`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .body(Data(count: 10)))
        #expect(await rig.load("/x").error == nil)
        let kept = (3..<4096).filter { ConnectionFaultTests.peerPort(of: Int32($0)) == rig.server.port }
        #expect(!kept.isEmpty, "the connection is kept for the next load")
        for descriptor in kept { #expect(fcntl(Int32(descriptor), F_GETFD) & FD_CLOEXEC != 0) }
    }

    /// Returns the port that a socket is connected to.
    private static func peerPort(of descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    @Test(arguments: [
        ScriptedResponse.Step.cut, .reset,
    ])
    func `A server that closes without a response is a failed connection`(step: ScriptedResponse.Step) async throws {
        let rig = try LoaderRig()
        var response = ScriptedResponse()
        response.beforeHead = [step]
        rig.server.respond(to: "/x", with: response)
        let result = await rig.load("/x")
        #expect(result.error?.cause == .connection)
        #expect(result.violations.isEmpty)
    }

    @Test func `A server that never responds is a timeout`() async throws {
        let rig = try LoaderRig { $0.idleTimeout = .milliseconds(150) }
        var response = ScriptedResponse()
        response.beforeHead = [.stall]
        rig.server.respond(to: "/x", with: response)
        let result = await rig.load("/x")
        #expect(result.error == DataLoadingError(.timeout, "no response within 0.15 seconds"))
        await rig.server.requests.wait { $0.cancelled.map(\.path) == ["/x"] }
    }

    @Test func `A transfer longer than the total limit is a timeout, even if bytes keep coming`() async throws {
        let rig = try LoaderRig { $0.totalTimeout = .milliseconds(150) }
        rig.server.respond(to: "/x", with: .steps([.endless(Data(count: 1000))], framing: .chunked))
        let result = await rig.load("/x")
        #expect(result.error == DataLoadingError(.timeout, "not finished within 0.15 seconds", isFinal: true))
        await rig.server.requests.wait { $0.cancelled.map(\.path) == ["/x"] }
    }
}
