import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnPipeline

/// Tests what a server of HTTP/2 can do to streams and connections that others use as well.
@Suite("Streams of HTTP/2 that are lost", .timeLimit(.minutes(5)))
struct LostStreamTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    private func loader(_ change: (inout DataLoader.Configuration) -> Void = { _ in }) -> DataLoader {
        var configuration = DataLoader.Configuration()
        configuration.authorities = Data(authority.certificate.utf8)
        change(&configuration)
        return DataLoader(configuration: configuration)
    }

    private func load(_ loader: DataLoader, _ port: Int) async -> (Recorder<DataEvent>.Record, TransferMetrics?) {
        let recorder = Recorder<DataEvent>()
        let transfer = loader.startLoading(DataRequest(url: "https://localhost:\(port)/x")) { recorder.add($0) }
        return (await recorder.end(), transfer.metrics)
    }

    @Test func `A stream that is reset in the body is a lost connection, which resumes`() async throws {
        let length = 1 << 20
        let server = try await TLSServer(authority.sign("localhost"), length: length, resets: 1)
        var configuration = ImagePipeline.Configuration(dataLoader: loader(), decoders: [])
        configuration.retries = DataRetryPolicy()
        configuration.retries.firstDelay = .milliseconds(10)
        let data = try await ImagePipeline(configuration: configuration)
            .data(for: ImageRequest(url: "https://localhost:\(server.port)/x"))
        #expect(data.0 == Data(count: length))
        #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=\(length / 2)-"])
    }

    @Test func `A request that a server leaving did not take is sent again at once`() async throws {
        let server = try await RawStreamServer(
            authority.sign("localhost"), [[.status("200"), .goAway], [.status("200")]])
        let loader = loader()
        #expect(await load(loader, server.port).0.error == nil)
        let (result, metrics) = await load(loader, server.port)
        #expect(result.error == nil && result.response?.status == 200 && result.violations.isEmpty)
        #expect(server.connections == 2 && metrics?.isConnectionReused == false)
    }

    @Test func `Requests leave a connection that has fallen silent`() async throws {
        let server = try await RawStreamServer(
            authority.sign("localhost"), [[.status("200"), .nothing], [.status("200")]])
        let loader = loader { $0.firstByteTimeout = .seconds(4) }
        #expect(await load(loader, server.port).0.error == nil)
        let (result, metrics) = await load(loader, server.port)
        #expect(result.error == nil && result.response?.status == 200 && result.violations.isEmpty)
        #expect(server.connections == 2 && metrics?.isConnectionReused == false)
    }
}
