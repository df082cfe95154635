import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials

/// Records events of real requests over a scripted loader.
enum MadeUpEvents {
    /// Records an image that is loaded, one that fails, one that is cancelled, and a memory cache hit.
    static func record(_ observers: [any PipelineObserver] = []) async throws -> [PipelineEvent] {
        let recorder = Recorder<PipelineEvent>()
        // The recorder comes last: the others have received every event that it has recorded.
        let fixture = PipelineFixture(memory: true) { $0.observers = observers + [recorder] }
        let good = fixture.image("good")
        _ = try await fixture.pipeline.image(for: good)
        _ = try await fixture.pipeline.image(for: good)
        _ = try? await fixture.pipeline.image(for: "app://example.org/<none>")
        let held = fixture.image("held")
        fixture.loader.hold(held)
        let task = fixture.pipeline.imageTask(with: held)
        _ = await fixture.loader.waitForRequest(held)
        task.cancel()
        return await recorder.wait {
            EventBalance($0.calls).isEven && EventWords.of($0.calls).contains("task 3 ends cancelled")
        }.calls
    }
}
