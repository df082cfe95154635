import FirnImage
import Testing

@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) struct PreviewDemandTests {
    @Test func `Without a subscriber, no preview is wanted`() async {
        let fixture = TaskFixture()
        #expect(!fixture.task.wantsPreview)
        let progress = fixture.task.progress
        #expect(!fixture.task.wantsPreview)
        fixture.task.listen(.feed(EventFeed(.everything, on: .immediate, asksForPreviews: false) { _ in }))
        #expect(!fixture.task.wantsPreview)
        withExtendedLifetime(progress) {}
    }

    @Test func `A preview is wanted again once the last one was taken`() async throws {
        let fixture = TaskFixture()
        var previews = fixture.task.previews.makeAsyncIterator()
        #expect(fixture.task.wantsPreview)
        try fixture.preview(1)
        #expect(!fixture.task.wantsPreview)
        #expect(await previews.next()?.image.size.width == 1)
        #expect(fixture.task.wantsPreview)
    }

    @Test func `The slowest subscriber sets the pace`() async throws {
        let fixture = TaskFixture()
        var quick = fixture.task.previews.makeAsyncIterator()
        var slow = fixture.task.events.makeAsyncIterator()
        try fixture.preview(1)
        _ = await quick.next()
        #expect(!fixture.task.wantsPreview)
        _ = await slow.next()
        #expect(fixture.task.wantsPreview)
    }

    @Test func `A slow reader gets the latest preview only`() async throws {
        let fixture = TaskFixture()
        let events = fixture.task.events
        for width in 1...5 { try fixture.preview(width) }
        fixture.progress(50)
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next().map(TaskFixture.word) == "v5")
        #expect(await iterator.next().map(TaskFixture.word) == "p50")
    }

    @Test func `A released stream does not hold previews back`() async throws {
        let fixture = TaskFixture()
        var kept = fixture.task.previews.makeAsyncIterator()
        var left: AsyncStream<ImageResponse>? = fixture.task.previews
        try fixture.preview(1)
        _ = await kept.next()
        #expect(!fixture.task.wantsPreview)
        _ = left.take()
        #expect(fixture.task.wantsPreview)
    }

    @Test func `A reader that was cancelled does not keep previews back`() async throws {
        let fixture = TaskFixture()
        var kept = fixture.task.previews.makeAsyncIterator()
        let left = fixture.task.previews
        let reading = Task { for await _ in left {} }
        reading.cancel()
        await reading.value
        try fixture.preview(1)
        _ = await kept.next()
        #expect(fixture.task.wantsPreview)
    }

    @Test func `A callback has taken a preview when its executor has run it`() throws {
        let fixture = TaskFixture()
        let held = HeldExecutor()
        fixture.task.listen(.feed(EventFeed(.everything, on: held.executor, asksForPreviews: true) { _ in }))
        #expect(fixture.task.wantsPreview)
        try fixture.preview(1)
        #expect(!fixture.task.wantsPreview)
        held.run()
        #expect(fixture.task.wantsPreview)
    }

    @Test func `An ended task wants no previews`() throws {
        let fixture = TaskFixture()
        let previews = fixture.task.previews
        try fixture.finish()
        #expect(!fixture.task.wantsPreview)
        withExtendedLifetime(previews) {}
    }
}
