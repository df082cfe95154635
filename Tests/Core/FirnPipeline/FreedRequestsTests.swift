import FirnImage
import FirnPipeline
import FirnTesting
import Testing

/// Tests that nothing of a finished request stays in memory.
@Suite(.timeLimit(.minutes(5))) struct FreedRequestsTests {
    /// Reports when it is freed.
    private final class Token: Sendable {
        private let freed: AsyncStream<Void>.Continuation

        init(_ freed: AsyncStream<Void>.Continuation) { self.freed = freed }

        deinit { freed.yield() }
    }

    @Test func `Requests, tasks and listeners are freed once they have ended, however they end (F25)`() async {
        let count = 3_000
        let (freed, continuation) = AsyncStream.makeStream(of: Void.self)
        let fixture = PipelineFixture(memory: true)
        await run(count, fixture, continuation)
        // Waits for the tokens' ends without polling: if one never comes, the test exceeds its time limit.
        var seen = 0
        for await _ in freed {
            seen += 1
            if seen == 2 * count { break }
        }
        #expect(seen == 2 * count, "the others are held by something")
        // The pipeline is still alive.
        #expect(fixture.pipeline.statistics.memoryMisses >= count / 2)
    }

    /// Starts requests of all kinds and waits for their ends. Each request and its listener hold a token.
    private func run(
        _ count: Int, _ fixture: PipelineFixture, _ continuation: AsyncStream<Void>.Continuation
    ) async {
        let held = fixture.image("held")
        fixture.loader.hold(held)
        let urls = (0..<count).map { number in
            switch number % 5 {
            case 0: fixture.image("\(number)")
            case 1: "https://example.org/missing/\(number)"
            case 2: held
            case 3: "https://example.org/watched/\(number)"
            default: "https://example.org/cancelled/\(number % 50)"
            }
        }
        for (number, url) in urls.enumerated() where number % 5 == 4 { fixture.loader.hold(url) }
        var tasks: [ImageTask] = []
        for (number, url) in urls.enumerated() {
            var request = ImageRequest(url: url)
            request.userInfo["token"] = Token(continuation)
            let listener = Token(continuation)
            let task = fixture.pipeline.loadImage(with: request, on: .immediate) { _ in
                withExtendedLifetime(listener) {}
            }
            // A stream that is never read.
            if number % 5 == 3 { _ = task.events }
            if number % 5 == 4 { task.cancel() }
            tasks.append(task)
        }
        _ = await fixture.loader.waitForRequest(held)
        fixture.loader.release(held)
        for task in tasks { _ = try? await task.response }
    }
}
