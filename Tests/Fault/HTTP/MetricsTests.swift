import FirnData
import FirnHTTP
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite("What transfers took", .timeLimit(.minutes(5)))
struct MetricsTests {
    private func load(_ rig: LoaderRig, _ path: String) async -> (Recorder<DataEvent>.Record, TransferMetrics?) {
        let recorder = Recorder<DataEvent>()
        let transfer = rig.loader.startLoading(DataRequest(url: rig.server.url(path))) { recorder.add($0) }
        return (await recorder.end(), transfer.metrics)
    }

    @Test func `A first request connects, and the next goes over the same connection`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .body(Data(count: 5000)))
        let first = try #require(await load(rig, "/x").1)
        #expect(first.connect != nil && first.secure == nil && !first.isConnectionReused)
        #expect(first.networkProtocol == "HTTP/1.1" && first.remoteAddress == "127.0.0.1")
        #expect(first.bytesReceived == 5000 && first.bytesDelivered == 5000)
        #expect(first.attempts == 1 && first.redirects == 0)
        let firstByte = try #require(first.firstByte)
        #expect(firstByte > .zero && firstByte <= first.total)
        await rig.server.requests.wait { $0.active == 0 }
        let second = try #require(await load(rig, "/x").1)
        #expect(second.isConnectionReused && second.connect == nil)
    }

    @Test func `Bytes are counted before and after decompression`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .body(GzipSamples.zeros100000, headers: ["Content-Encoding": "gzip"]))
        let metrics = try #require(await load(rig, "/x").1)
        #expect(metrics.bytesReceived == GzipSamples.zeros100000.count && metrics.bytesDelivered == 100_000)
    }

    @Test func `Redirects and lost requests are counted`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/a", with: .redirect(to: "/b"))
        rig.server.respond(to: "/b", with: .redirect(to: "/c"))
        rig.server.respond(to: "/c", with: .body(Data(count: 10)))
        var swallowed = ScriptedResponse()
        swallowed.beforeHead = [.cut]
        rig.server.respond(to: "/x", with: swallowed, .body(Data(count: 10)))
        let redirected = try #require(await load(rig, "/a").1)
        #expect(redirected.redirects == 2 && redirected.attempts == 1)
        await rig.server.requests.wait { $0.active == 0 }
        let lost = try #require(await load(rig, "/x").1)
        #expect(lost.redirects == 0 && lost.attempts == 2)
    }

    @Test func `A failed transfer has metrics, and a running one has none`() async throws {
        let rig = try LoaderRig()
        let gate = Gate()
        rig.server.respond(to: "/x", with: .steps([.hold(gate), .cut], framing: .statedLength(10)))
        let (transfer, recorder) = rig.start("/x")
        await rig.server.requests.wait { $0.calls.count == 1 }
        #expect(transfer.metrics == nil)
        gate.open()
        #expect(await recorder.end().error != nil)
        #expect(transfer.metrics?.attempts == 1)
    }

    @Test func `A lookup by the loader itself is measured`() async throws {
        let rig = try LoaderRig { $0.resolver = FakeResolver(["images.example": [["127.0.0.1"]]]) }
        rig.server.respond(to: "/x", with: .body(Data(count: 10)))
        let recorder = Recorder<DataEvent>()
        let request = DataRequest(url: "http://images.example:\(rig.server.port)/x")
        let transfer = rig.loader.startLoading(request) { recorder.add($0) }
        #expect(await recorder.end().error == nil)
        #expect(transfer.metrics?.lookup != nil)
    }

    @Test func `Metrics come with the response, over all of its connections`() async throws {
        let rig = try LoaderRig()
        var cut = ScriptedResponse.steps([.bytes(Data(count: 600)), .cut], framing: .statedLength(1000))
        cut.headers["ETag"] = "\"v1\""
        rig.server.respond(to: "/x", with: cut, .file(ServedFile(Data(count: 1000))))
        var configuration = ImagePipeline.Configuration(dataLoader: rig.loader, decoders: [])
        configuration.retries = DataRetryPolicy()
        configuration.retries.firstDelay = .milliseconds(1)
        let pipeline = ImagePipeline(configuration: configuration)
        let response = try await pipeline.data(for: ImageRequest(url: rig.server.url("/x"))).1
        let metrics = try #require(response?.metrics)
        #expect(metrics.attempts == 2 && metrics.bytesReceived == 1000)
    }
}
