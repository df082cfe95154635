import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Transfers that give way` {
    @Test func `A running prefetch is paused for a visible image, and goes on from its byte`() async throws {
        let fixture = ArrivalFixture { $0.scheduling.transferLimit = 1 }
        let data = ScriptedProgressiveDecoder.image(ArrivalFixture.size, bytes: 400_000)
        let low = fixture.task { $0.priority = .low }
        // The length is unknown, so the engine cannot find that the transfer is nearly done.
        let first = await fixture.responded(nil)
        first.send(data.prefix(100_000))
        await fixture.decoder.advances.wait { $0.calls == [100_000] }

        let visible = "https://example.org/visible"
        fixture.loader.respondByHand(to: visible)
        let high = fixture.pipeline.imageTask(with: ImageRequest(url: visible, priority: .veryHigh))
        let second = await fixture.loader.waitForRequest(visible)
        #expect(first.isPaused && fixture.loader.pauses.calls.map(\.url) == [ArrivalFixture.url])
        // The bytes that the paused transfer receives meanwhile wait.
        first.send(data[100_000..<250_000])
        second.respond(DataResponse(url: visible, status: 200))
        second.send(ScriptedProgressiveDecoder.image(PixelSize(width: 3, height: 2), bytes: 1000))
        second.finish()
        #expect(try await high.image.size == PixelSize(width: 3, height: 2))

        await fixture.loader.resumes.wait { $0.calls.map(\.url) == [ArrivalFixture.url] }
        first.send(data[250_000...])
        first.finish()
        #expect(ArrivalFixture.brightness(try await low.image) == 255)
        #expect(fixture.loader.requests.count == 2 && fixture.decoder.sessions.count == 2)
        let statistics = fixture.pipeline.statistics
        #expect(statistics.transfersPaused == 1 && statistics.transfersResumed == 1 && statistics.bytesWasted == 0)
    }

    @Test func `A change of priority reaches the transfer under way`() async throws {
        let fixture = ArrivalFixture()
        let task = fixture.task { $0.priority = .low }
        let transfer = await fixture.responded(100)
        #expect(transfer.request.priority == .low)
        task.priority = .veryHigh
        #expect(fixture.loader.priorities.calls == [.veryHigh])
        task.cancel()
    }
}
