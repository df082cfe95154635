import FirnData
import Testing

@testable import FirnPipeline

/// Tests the public description of pipeline events.
@Suite struct PipelineEventReadingTests {
    private func event(_ kind: PipelineEvent.Kind) -> PipelineEvent { PipelineEvent(time: .nanoseconds(7), kind: kind) }
    private let request = ImageRequest(url: "https://a.example/x.png")

    @Test func `A stage that failed says its error, job, stage, bytes and duration`() {
        let error = ImageLoadingError(.source, at: .loading, source: "x", message: "lost")
        let end = event(
            .jobEnded(
                PipelineEvent.JobEnd(
                    job: 3, stage: .transfer, outcome: .failed(error), request: request, duration: .nanoseconds(2_000),
                    bytes: 9)))
        #expect(end.name == .transferEnded)
        #expect(end.number == 3)
        #expect(end.stage == .transfer)
        #expect(end.error == error)
        #expect(end.bytes == 9)
        #expect(end.duration == .nanoseconds(2_000))
        #expect(end.request?.description == request.description)
    }

    @Test func `A task that ends with an image has no error`() {
        let end = event(.taskEnded(5, .image(nil, pixels: 4)))
        #expect(end.name == .taskEnded)
        #expect(end.number == 5)
        #expect(end.error == nil)
        #expect(end.stage == nil)
        #expect(end.duration == nil)
    }

    @Test func `A memory hit has a request and no number`() {
        let hit = event(.memoryHit(request))
        #expect(hit.name == .memoryHit)
        #expect(hit.number == nil)
        #expect(hit.request != nil)
        #expect(hit.bytes == 0)
    }

    @Test func `A running transfer reports the bytes that have arrived`() {
        let arrived = event(.transferArrived(2, completed: 40, total: nil))
        #expect(arrived.name == .transferArrived)
        #expect(arrived.number == 2)
        #expect(arrived.bytes == 40)
    }
}
