import Dispatch
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ExecutorTests {
    @Test func `The completion of a local image runs on the given queue`() async throws {
        let files = InMemoryFileSystem()
        try files.createDirectory("/p")
        try files.create("/p/a.png", [ScriptedDecoder.image(PipelineFixture.size)])
        let fixture = PipelineFixture { $0.files = files }
        let queue = DispatchQueue(label: "callbacks")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let isOnQueue = await withCheckedContinuation { continuation in
            fixture.pipeline.loadImage(with: ImageRequest(path: "/p/a.png"), on: CallbackExecutor(queue)) { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true)
            }
        }
        #expect(isOnQueue)
    }

    @Test func `Cancelling the Swift task ends the wait while the loader says nothing`() async {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        // The loader sends neither a response nor an end, not even after a cancellation.
        fixture.loader.respondByHand(to: url)
        let waiting = Task { () throws(ImageLoadingError) in try await fixture.pipeline.image(for: url) }
        _ = await fixture.loader.waitForRequest(url)
        waiting.cancel()
        let result = await waiting.result
        #expect(throws: ImageLoadingError.self) { try result.get() }
    }

    @Test func `A Swift task that is cancelled already does not load`() async {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let waiting = Task {
            for await _ in gate {}
            return try await fixture.pipeline.image(for: url)
        }
        waiting.cancel()
        opener.finish()
        await #expect {
            _ = try await waiting.value
        } throws: { error in
            (error as? ImageLoadingError)?.fault == .cancelled
        }
        #expect(fixture.loader.requests.isEmpty)
    }
}
