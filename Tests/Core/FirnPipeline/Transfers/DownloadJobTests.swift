import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

/// Downloads into files as jobs of the engine. Their files and their requests are tested over sockets, in `Fault`.
@Suite(.timeLimit(.minutes(5))) final class `A download into a file`: Sendable {
    private let folder: String
    private let file: URL
    private let url = "https://example.org/a"
    private let body = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/firn-download-\(UUID())"
        file = URL(filePath: folder + "/a.bin")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A download that the test starts, and its progress.
    private struct Run {
        let task: Task<DataResponse?, any Error>
        let progress: AsyncStream<Int>

        /// Waits until the file has at least `count` bytes.
        func wait(for count: Int) async { for await step in progress where step >= count { return } }
    }

    private func start(_ request: ImageRequest, _ pipeline: ImagePipeline) -> Run {
        let (progress, feed) = AsyncStream.makeStream(of: Int.self)
        let file = file
        return Run(
            task: Task { try await pipeline.download(request, to: file) { feed.yield($0.completed) } },
            progress: progress)
    }

    private func start(_ pipeline: ImagePipeline) -> Run { start(ImageRequest(url: url), pipeline) }

    private func response(_ length: Int?, status: Int = 200, range: String? = nil) -> DataResponse {
        var headers: HTTPHeaderFields = ["ETag": "\"v\""]
        headers["Content-Range"] = range
        return DataResponse(url: "", status: status, headers: headers, expectedLength: length)
    }

    private func expectFile() throws {
        #expect(try Data(contentsOf: file) == body)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.bin"])
    }

    private func isQueued(_ pipeline: ImagePipeline) async -> Bool {
        await pipeline.snapshot().queues.contains { $0.stage == .transfer && $0.queued == 1 }
    }

    @Test func `Writes the bytes of a load of the same address that is running`() async throws {
        let fixture = PipelineFixture()
        let (image, transfer) = await fixture.start(url)
        transfer.respond(response(1000))
        transfer.send(body.prefix(600))
        let run = start(fixture.pipeline)
        await run.wait(for: 600)
        transfer.send(body.dropFirst(600))
        transfer.finish()
        let response = try await run.task.value
        #expect(response?.headers["ETag"] == "\"v\"")
        try expectFile()
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(fixture.pipeline.statistics.coalesced == 1)
        _ = try? await image.response
    }

    @Test func `Keeps the transfer of a load that is cancelled`() async throws {
        let fixture = PipelineFixture()
        let (image, transfer) = await fixture.start(url)
        transfer.respond(response(1000))
        transfer.send(body.prefix(600))
        let run = start(fixture.pipeline)
        await run.wait(for: 600)
        image.cancel()
        #expect(!transfer.isCancelled)
        transfer.send(body.dropFirst(600))
        transfer.finish()
        _ = try await run.task.value
        try expectFile()
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `Requests the rest of a load that ends at its limit`() async throws {
        let fixture = PipelineFixture { $0.limits.maximumBytes = 700 }
        let (image, transfer) = await fixture.start(url)
        transfer.respond(response(nil))
        transfer.send(body.prefix(600))
        let run = start(fixture.pipeline)
        await run.wait(for: 600)
        transfer.send(body.dropFirst(600))
        await #expect(throws: ImageLoadingError.self) { try await image.image }
        let rest = await fixture.loader.waitForRequest(url, number: 2)
        #expect(rest.request.headers["Range"] == "bytes=600-" && rest.request.headers["If-Range"] == "\"v\"")
        rest.respond(response(400, status: 206, range: "bytes 600-999/1000"))
        rest.send(body.dropFirst(600))
        rest.finish()
        _ = try await run.task.value
        try expectFile()
        #expect(fixture.loader.transfers(url).count == 2)
    }

    @Test func `Continues with the bytes of a load if an earlier download has left the first ones`() async throws {
        let fixture = PipelineFixture()
        fixture.loader.respondByHand(to: url)
        let first = start(fixture.pipeline)
        let begun = await fixture.loader.waitForRequest(url)
        begun.respond(response(1000))
        begun.send(body.prefix(300))
        await first.wait(for: 300)
        first.task.cancel()
        await #expect(throws: ImageLoadingError.cancelled) { try await first.task.value }
        let image = fixture.pipeline.imageTask(with: url)
        let transfer = await fixture.loader.waitForRequest(url, number: 2)
        transfer.respond(response(1000))
        transfer.send(body.prefix(100))
        let run = start(fixture.pipeline)
        await run.wait(for: 300)
        transfer.send(body.dropFirst(100))
        transfer.finish()
        _ = try await run.task.value
        try expectFile()
        #expect(fixture.loader.transfers(url).count == 2)
        _ = try? await image.response
    }

    /// Starts a download of an image whose first half is in the file.
    private func startHalf(_ fixture: PipelineFixture) async -> (run: Run, transfer: ScriptedTransfer, image: Data) {
        let image = ScriptedDecoder.image(PipelineFixture.size) + Data(count: 1000)
        fixture.loader.respondByHand(to: url)
        let run = start(fixture.pipeline)
        let transfer = await fixture.loader.waitForRequest(url)
        transfer.respond(response(image.count))
        transfer.send(image.prefix(500))
        await run.wait(for: 500)
        return (run, transfer, image)
    }

    @Test func `Serves a load of the same address that starts later, from the first byte`() async throws {
        let fixture = PipelineFixture()
        let (run, transfer, image) = await startHalf(fixture)
        let task = fixture.pipeline.dataTask(with: ImageRequest(url: url))
        for await progress in task.progress where progress.completed >= 500 { break }
        transfer.send(image.dropFirst(500))
        transfer.finish()
        #expect(try await task.response.data == image)
        _ = try await run.task.value
        #expect(try Data(contentsOf: file) == image)
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(transfer.request.headers["Accept-Encoding"] == "identity")
    }

    @Test func `Keeps its transfer if a load that it serves is cancelled`() async throws {
        let fixture = PipelineFixture()
        let (run, transfer, image) = await startHalf(fixture)
        let task = fixture.pipeline.dataTask(with: ImageRequest(url: url))
        for await progress in task.progress where progress.completed >= 500 { break }
        task.cancel()
        #expect(!transfer.isCancelled)
        transfer.send(image.dropFirst(500))
        transfer.finish()
        _ = try await run.task.value
        #expect(try Data(contentsOf: file) == image)
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `Leaves the rest to a load that it serves if it is cancelled`() async throws {
        let fixture = PipelineFixture { $0.retries = .none }
        let (run, _, image) = await startHalf(fixture)
        let task = fixture.pipeline.dataTask(with: ImageRequest(url: url))
        for await progress in task.progress where progress.completed >= 500 { break }
        run.task.cancel()
        await #expect(throws: ImageLoadingError.cancelled) { try await run.task.value }
        let rest = await fixture.loader.waitForRequest(url, number: 2)
        #expect(rest.request.headers["Range"] == "bytes=500-" && rest.request.headers["If-Range"] == "\"v\"")
        rest.respond(
            response(image.count - 500, status: 206, range: "bytes 500-\(image.count - 1)/\(image.count)"))
        rest.send(image.dropFirst(500))
        rest.finish()
        #expect(try await task.response.data == image)
    }

    @Test func `Goes on if a load that it serves ends at its limit`() async throws {
        let fixture = PipelineFixture { $0.limits.maximumBytes = 700 }
        let (run, transfer, image) = await startHalf(fixture)
        let error = await #expect(throws: ImageLoadingError.self) { try await fixture.pipeline.image(for: url) }
        #expect(error?.fault == .limit)
        transfer.send(image.dropFirst(500))
        transfer.finish()
        _ = try await run.task.value
        #expect(try Data(contentsOf: file) == image)
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `Gets the priority of a load that it serves`() async throws {
        let fixture = PipelineFixture { $0.scheduling.transferLimit = 2 }
        fixture.loader.respondByHand(to: url)
        let run = start(fixture.pipeline)
        let transfer = await fixture.loader.waitForRequest(url)
        transfer.respond(response(nil))
        transfer.send(body.prefix(600))
        await run.wait(for: 600)
        let task = fixture.pipeline.dataTask(with: ImageRequest(url: url, priority: .high))
        for await progress in task.progress where progress.completed >= 600 { break }
        let other = fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("b"), priority: .high))
        try await eventually { await isQueued(fixture.pipeline) }
        #expect(!transfer.isPaused)
        transfer.send(body.dropFirst(600))
        transfer.finish()
        #expect(try await task.response.data == body)
        _ = try await run.task.value
        _ = try await other.image
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `Serves no load without coalescing`() async throws {
        let fixture = PipelineFixture { $0.isTaskCoalescingEnabled = false }
        let (run, transfer, image) = await startHalf(fixture)
        let task = fixture.pipeline.imageTask(with: url)
        let other = await fixture.loader.waitForRequest(url, number: 2)
        #expect(other.request.headers["Accept-Encoding"] == nil)
        task.cancel()
        transfer.send(image.dropFirst(500))
        transfer.finish()
        _ = try await run.task.value
    }

    @Test func `Waits for a transfer slot, and has its own slot`() async throws {
        let fixture = PipelineFixture { $0.scheduling.transferLimit = 1 }
        let held = await fixture.startHeld("b")
        fixture.loader.respond(to: url, with: body)
        fixture.loader.hold(url)
        let run = start(fixture.pipeline)
        try await eventually { await isQueued(fixture.pipeline) }
        #expect(fixture.loader.transfers(url).isEmpty)
        fixture.loader.release(held.url)
        _ = try await held.task.image
        _ = await fixture.loader.waitForRequest(url)
        let next = fixture.pipeline.imageTask(with: fixture.image("c"))
        #expect(await isQueued(fixture.pipeline))
        fixture.loader.release(url)
        _ = try await run.task.value
        _ = try await next.image
        try expectFile()
    }

    @Test func `Waits for a slot of its host`() async throws {
        let fixture = PipelineFixture { $0.scheduling.transferLimitPerHost = 1 }
        let held = await fixture.startHeld("b")
        fixture.loader.respond(to: url, with: body)
        let run = start(fixture.pipeline)
        try await eventually { await isQueued(fixture.pipeline) }
        #expect(fixture.loader.transfers(url).isEmpty)
        fixture.loader.release(held.url)
        _ = try await run.task.value
        try expectFile()
    }

    @Test func `Does not start while the pipeline is suspended`() async throws {
        let fixture = PipelineFixture()
        fixture.loader.respond(to: url, with: body)
        fixture.pipeline.scheduling.isSuspended = true
        let run = start(fixture.pipeline)
        try await eventually { await isQueued(fixture.pipeline) }
        #expect(fixture.loader.transfers(url).isEmpty)
        fixture.pipeline.scheduling.isSuspended = false
        _ = try await run.task.value
        try expectFile()
    }

    @Test func `Is paused for a more urgent load, and resumes`() async throws {
        let fixture = PipelineFixture { $0.scheduling.transferLimit = 1 }
        fixture.loader.respondByHand(to: url)
        let run = start(ImageRequest(url: url, priority: .low), fixture.pipeline)
        let transfer = await fixture.loader.waitForRequest(url)
        // Without a length, since a transfer that would end at once is not paused.
        transfer.respond(response(nil))
        transfer.send(body.prefix(600))
        await run.wait(for: 600)
        let held = await fixture.startHeld("b")
        #expect(transfer.isPaused)
        fixture.loader.release(held.url)
        _ = try await held.task.image
        try await eventually { !transfer.isPaused }
        transfer.send(body.dropFirst(600))
        transfer.finish()
        _ = try await run.task.value
        try expectFile()
    }

    @Test func `Ends when the pipeline is invalidated while it waits for a slot`() async throws {
        let fixture = PipelineFixture { $0.scheduling.isSuspended = true }
        let run = start(fixture.pipeline)
        try await eventually { await isQueued(fixture.pipeline) }
        fixture.pipeline.invalidate()
        await #expect(throws: ImageLoadingError.cancelled) { try await run.task.value }
        #expect(fixture.loader.requests.calls.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test func `Is not refused because a load has failed a short time ago`() async throws {
        let fixture = PipelineFixture()
        await #expect(throws: ImageLoadingError.self) { try await fixture.pipeline.image(for: url) }
        fixture.loader.respond(to: url, with: body)
        _ = try await start(fixture.pipeline).task.value
        try expectFile()
    }
}
