import FirnData
import FirnHTTP
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnPipeline

@Suite("Requests that are sent again, over real sockets", .timeLimit(.minutes(5)))
struct RetryFaultTests {
    private let data = LoaderRig.bytes(300_000)

    private func pipeline(
        _ rig: LoaderRig, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(dataLoader: rig.loader, decoders: [])
        configuration.retries = DataRetryPolicy()
        configuration.retries.firstDelay = .milliseconds(10)
        change(&configuration)
        return ImagePipeline(configuration: configuration)
    }

    private func error(_ body: () async throws -> Void) async -> ImageLoadingError? {
        do { try await body() } catch { return error as? ImageLoadingError }
        return nil
    }

    /// Forwards a loader's transfers, and reports each end after the engine has processed it.
    private struct WatchedLoader: DataLoading {
        let loader: DataLoader
        let ends: AsyncStream<Void>.Continuation

        func startLoading(
            _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
        ) -> any DataTransfer {
            loader.startLoading(request) { event in
                receive(event)
                if case .end = event { ends.yield() }
            }
        }
    }

    @Test func `A body that is cut short twice arrives completely, and no byte twice`() async throws {
        let rig = try LoaderRig()
        func cut(_ from: Int, _ to: Int) -> ScriptedResponse {
            var response = ScriptedResponse.steps(
                [.bytes(data.subdata(in: from..<to)), .cut], framing: .statedLength(data.count - from),
                headers: ["ETag": "\"v1\""])
            guard from > 0 else { return response }
            response.status = 206
            response.headers["Content-Range"] = "bytes \(from)-\(data.count - 1)/\(data.count)"
            return response
        }
        rig.server.respond(to: "/x", with: cut(0, 100_000), cut(100_000, 200_000), .file(ServedFile(data)))
        let loaded = try await pipeline(rig).data(for: ImageRequest(url: rig.server.url("/x"))).0
        #expect(loaded == data)
        #expect(
            rig.server.requests.calls.map { $0.headers["Range"] } == [nil, "bytes=100000-", "bytes=200000-"])
    }

    @Test func `A busy server is retried, and a permanently busy one is reported`() async throws {
        let rig = try LoaderRig()
        let busy = ScriptedResponse.status(503, "Busy")
        rig.server.respond(to: "/x", with: busy, busy, .body(data))
        rig.server.respond(to: "/y", with: busy)
        let pipeline = pipeline(rig)
        #expect(try await pipeline.data(for: ImageRequest(url: rig.server.url("/x"))).0 == data)
        let error = await error { _ = try await pipeline.data(for: ImageRequest(url: rig.server.url("/y"))) }
        #expect(error?.message == "the server responded with 503 Busy")
        #expect(error?.statusCode == 503)
        #expect(rig.server.requests.calls.map(\.path) == ["/x", "/x", "/x", "/y", "/y", "/y"])
    }

    @Test func `Retry-After is followed by the engine's clock, and one that is too long fails at once (F30)`()
        async throws
    {
        let rig = try LoaderRig()
        var soon = ScriptedResponse.status(429, "Slow down")
        soon.headers["Retry-After"] = "50"
        var late = ScriptedResponse.status(503, "Busy")
        late.headers["Retry-After"] = "3600"
        rig.server.respond(to: "/soon", with: soon, .body(data))
        rig.server.respond(to: "/late", with: late)
        let (ends, told) = AsyncStream.makeStream(of: Void.self)
        let pipeline = pipeline(rig) { $0.dataLoader = WatchedLoader(loader: rig.loader, ends: told) }
        let begun = MonotonicClock.now()
        let waiting = Task { try await pipeline.data(for: ImageRequest(url: rig.server.url("/soon"))).0 }
        for await _ in ends { break }
        // The engine decides when to resume. No time passes here: the test passes a later time to the table.
        let due = try #require(pipeline.engine.shell.read { $0.table.deadline })
        #expect(due >= begun + 50_000_000_000 && due <= MonotonicClock.now() + 50_000_000_000)
        pipeline.engine.shell.change { $0.table.tick(now: due - 1) }
        #expect(pipeline.engine.shell.read { !$0.table.hasRunnable && $0.table.deadline == due })
        pipeline.engine.shell.change { $0.table.tick(now: due) }
        #expect(try await waiting.value == data)
        let error = await error { _ = try await pipeline.data(for: ImageRequest(url: rig.server.url("/late"))) }
        #expect(error?.statusCode == 503)
        #expect(rig.server.requests.calls.map(\.path) == ["/soon", "/soon", "/late"])
    }

    @Test func `Other transfers use the slot of a waiting one`() async throws {
        let rig = try LoaderRig()
        let busy = ScriptedResponse.status(503, "Busy")
        rig.server.respond(to: "/waits", with: busy, .body(data))
        rig.server.respond(to: "/other", with: .body(data))
        let pipeline = pipeline(rig) {
            $0.retries.firstDelay = .seconds(600)
            $0.retries.longestDelay = .seconds(600)
            $0.scheduling.transferLimit = 1
        }
        let waiting = Task { try await pipeline.data(for: ImageRequest(url: rig.server.url("/waits"))) }
        await rig.server.requests.wait { $0.ended.map(\.path) == ["/waits"] }
        #expect(try await pipeline.data(for: ImageRequest(url: rig.server.url("/other"))).0 == data)
        waiting.cancel()
        _ = try? await waiting.value
    }

    @Test func `A missing image is not requested again at once, except by a reload`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .status(404, "Not Found"), .body(data))
        let pipeline = pipeline(rig) { $0.remembersFailures = true }
        let request = ImageRequest(url: rig.server.url("/x"))
        let first = await error { _ = try await pipeline.data(for: request) }
        #expect(first?.message == "the server responded with 404 Not Found")
        let second = await error { _ = try await pipeline.data(for: request) }
        #expect(
            second?.message == "the server responded with 404 Not Found, a short time ago" && second?.statusCode == 404)
        #expect(rig.server.requests.count == 1)
        let again = ImageRequest(url: rig.server.url("/x"), options: .reloadIgnoringCachedData)
        #expect(try await pipeline.data(for: again).0 == data)
        #expect(try await pipeline.data(for: request).0 == data)
    }

    @Test func `After forgetting failures, every address is requested`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .status(410, "Gone"), .body(data))
        let pipeline = pipeline(rig) { $0.remembersFailures = true }
        let request = ImageRequest(url: rig.server.url("/x"))
        _ = await error { _ = try await pipeline.data(for: request) }
        pipeline.forgetFailures()
        #expect(try await pipeline.data(for: request).0 == data)
    }
}
