import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct EventsTests {
    private func describe(_ event: ImageTask.Event) -> String {
        switch event {
        case .progress(let progress): "\(progress.completed)/\(progress.total ?? -1)"
        case .preview: "preview"
        case .finished(.success): "image"
        case .finished(.failure(let error)): "\(error.fault)"
        }
    }

    @Test func `Progress comes first and the end last`() async throws {
        let fixture = PipelineFixture()
        let url = "https://example.org/a"
        fixture.loader.respond(to: url, with: ScriptedDecoder.image(PipelineFixture.size), chunkSize: 6)
        fixture.loader.hold(url)
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        let events = task.events
        _ = await fixture.loader.waitForRequest(url)
        fixture.loader.release(url)
        var seen: [String] = []
        for await event in events { seen.append(describe(event)) }
        #expect(seen == ["6/16", "12/16", "16/16", "image"])
    }

    @Test func `A late subscriber gets the progress so far, and then the end`() async throws {
        let fixture = PipelineFixture()
        let url = "https://example.org/a"
        fixture.loader.respondByHand(to: url)
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        let transfer = await fixture.loader.waitForRequest(url)
        transfer.send(ScriptedDecoder.image(PipelineFixture.size))
        #expect(task.currentProgress.completed == 16)
        let events = task.events
        transfer.finish()
        var seen: [String] = []
        for await event in events { seen.append(describe(event)) }
        #expect(seen == ["16/-1", "image"])
        var again: [String] = []
        for await event in task.events { again.append(describe(event)) }
        #expect(again.last == "image")
        #expect(again.count { $0 == "image" } == 1)
    }

    @Test func `The streams of a cancelled task end`() async {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        let (events, progress, previews) = (task.events, task.progress, task.previews)
        task.cancel()
        var seen: [String] = []
        for await event in events { seen.append(describe(event)) }
        for await _ in progress {}
        for await _ in previews {}
        #expect(seen == ["cancelled"])
    }

    @Test func `A completion handler is called once, on the executor asked for`() async throws {
        let fixture = PipelineFixture()
        let (calls, hops) = (Counter(), Counter())
        let executor = CallbackExecutor { call in
            hops.add()
            call()
        }
        let result = await withCheckedContinuation { continuation in
            fixture.pipeline.loadImage(with: ImageRequest(url: fixture.image("a")), on: executor) { result in
                calls.add()
                continuation.resume(returning: result)
            }
        }
        #expect(try result.get().image.size == PipelineFixture.size)
        #expect(calls.count == 1)
        #expect(hops.count >= 1)
    }

    @Test func `A completion handler goes to the main queue by default`() async throws {
        let fixture = PipelineFixture()
        let onMain = await withCheckedContinuation { continuation in
            fixture.pipeline.loadImage(with: ImageRequest(url: fixture.image("a"))) { _ in
                continuation.resume(returning: MainActor.assumeIsolated { true })
            }
        }
        #expect(onMain)
    }

    @Test func `A pipeline that was shut down says so`() async {
        let fixture = PipelineFixture()
        fixture.pipeline.invalidate()
        await #expect {
            _ = try await fixture.pipeline.image(for: fixture.image("a"))
        } throws: { error in
            (error as? ImageLoadingError)?.fault == .pipeline
        }
    }

    @Test func `Tasks of a released pipeline still end`() async throws {
        var fixture: PipelineFixture? = PipelineFixture()
        let url = fixture?.image("a") ?? ""
        let loader = fixture?.loader
        loader?.hold(url)
        let task = fixture?.pipeline.imageTask(with: ImageRequest(url: url))
        _ = await loader?.waitForRequest(url)
        fixture = nil
        loader?.release(url)
        #expect(try await task?.image.size == PipelineFixture.size)
    }
}
