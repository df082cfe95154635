import FirnImage
import FirnSync
import FirnTesting
import Testing

@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
    private func words(_ stream: AsyncStream<ImageTask.Event>) async -> [String] {
        var words: [String] = []
        for await event in stream { words.append(TaskFixture.word(event)) }
        return words
    }

    @Test func `A late listener gets the latest progress, the latest preview and the end`() async throws {
        let fixture = TaskFixture()
        let early = fixture.task.events
        fixture.progress(1)
        fixture.progress(2)
        try fixture.preview(1)
        try fixture.preview(2)
        var late = fixture.task.events.makeAsyncIterator()
        #expect(await late.next().map(TaskFixture.word) == "p2")
        #expect(await late.next().map(TaskFixture.word) == "v2")
        try fixture.finish()
        #expect(await late.next().map(TaskFixture.word) == "image")
        #expect(await late.next().map(TaskFixture.word) == nil)
        #expect(await words(early) == ["p1", "p2", "image"])
        #expect(await words(fixture.task.events) == ["p2", "image"])
    }

    @Test func `The first listener gets the preview that was made for other tasks`() async throws {
        let fixture = TaskFixture()
        fixture.owner.latest.withLock { $0 = try? TaskFixture.response(3, isPreview: true) }
        var previews = fixture.task.previews.makeAsyncIterator()
        #expect(await previews.next()?.image.size.width == 3)
    }

    @Test func `A waiting reader is woken by its event`() async throws {
        let fixture = TaskFixture()
        let previews = fixture.task.previews
        let reading = Task {
            var widths: [Int] = []
            for await preview in previews { widths.append(preview.image.size.width) }
            return widths
        }
        // The reader receives each preview before the next one is created.
        for width in 1...3 {
            try await eventually { fixture.task.wantsPreview }
            try fixture.preview(width)
        }
        try await eventually { fixture.task.wantsPreview }
        try fixture.finish()
        #expect(await reading.value == [1, 2, 3])
    }

    @Test func `A cancelled reader ends`() async throws {
        let fixture = TaskFixture()
        let events = fixture.task.events
        let reading = Task { await words(events) }
        reading.cancel()
        #expect(await reading.value == [])
        #expect(fixture.task.state == .running)
    }

    @Test func `A handler is called once at a time, with the latest preview, and last with the end`() throws {
        let fixture = TaskFixture()
        let held = HeldExecutor()
        let seen = Locked<[String]>([])
        fixture.task.listen(
            .feed(
                EventFeed(.everything, on: held.executor, asksForPreviews: true) { event in
                    seen.withLock { $0.append(TaskFixture.word(event)) }
                }))
        fixture.progress(1)
        try fixture.preview(1)
        try fixture.preview(2)
        #expect(held.count == 1)
        held.run()
        #expect(seen.withLock { $0 } == ["p1", "v2"])
        try fixture.preview(3)
        try fixture.finish()
        #expect(held.count == 1)
        held.run()
        #expect(seen.withLock { $0 } == ["p1", "v2", "image"])
        #expect(held.count == 0)
    }

    @Test func `A handler that adds an event from within is called with it afterwards`() throws {
        let fixture = TaskFixture()
        let seen = Locked<[String]>([])
        fixture.task.onEvent(isFull: { false }) { event in
            if case .progress = event { fixture.task.cancel() }
            seen.withLock { $0.append(TaskFixture.word(event)) }
        }
        fixture.progress(1)
        #expect(seen.withLock { $0 } == ["p1", "failure"])
    }

    @Test func `Everybody learns of the end, once`() async throws {
        let fixture = TaskFixture()
        let ends = Counter()
        for _ in 0..<5 {
            fixture.task.onEvent(isFull: { false }) { event in if case .finished = event { ends.add() } }
        }
        let waiting = (0..<5).map { _ in Task { try await fixture.task.image.size.width } }
        try fixture.finish()
        #expect(!fixture.task.end(.failure(.cancelled(source: ""))))
        for waiter in waiting { #expect(try await waiter.value == 9) }
        #expect(ends.count == 5)
    }
}
