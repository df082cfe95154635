import Dispatch
import FirnImage
import FirnPipeline
import FirnTesting
import Testing

/// Changes of one task from two threads: the engine follows the value that the task keeps.
@Suite(.timeLimit(.minutes(5))) struct ConcurrentChangeTests {
    private static let rounds = 300
    private static let changes = 60

    /// Calls `body` with the numbers of the changes, from two threads.
    private func race(_ body: @Sendable (_ thread: Int, _ change: Int) -> Void) {
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for change in 0..<ConcurrentChangeTests.changes { body(thread, change) }
        }
    }

    @Test func `The engine has the priority that the task has`() async throws {
        let fixture = PipelineFixture()
        let (task, url) = await fixture.startHeld("a")
        for round in 0..<ConcurrentChangeTests.rounds {
            race { thread, change in task.priority = (change + thread) % 2 == 0 ? .veryLow : .veryHigh }
            let known = await fixture.pipeline.snapshot().jobs.first?.priority
            #expect(known == task.priority, "round \(round)")
        }
        fixture.loader.release(url)
        _ = try await task.image
    }

    @Test func `A task that is not paused ends`() async throws {
        for _ in 0..<ConcurrentChangeTests.rounds {
            let fixture = PipelineFixture()
            let (task, url) = await fixture.startHeld("a")
            race { thread, change in task.isPaused = (change + thread) % 2 == 0 }
            task.isPaused = false
            fixture.loader.release(url)
            _ = try await task.image
        }
    }

    @Test func `Running prefetches have the pause and priority of their prefetcher`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
        let completions = prefetcher.completions
        prefetcher.startPrefetching(with: [ImageRequest(url: url)])
        _ = await fixture.loader.waitForRequest(url)
        for round in 0..<ConcurrentChangeTests.rounds {
            race { thread, change in
                prefetcher.priority = (change + thread) % 2 == 0 ? .veryLow : .veryHigh
                prefetcher.isPaused = (change + thread) % 2 == 0
            }
            let known = await fixture.pipeline.snapshot().jobs.first?.priority
            // The work of paused tasks has no priority.
            #expect(known == (prefetcher.isPaused ? nil : prefetcher.priority), "round \(round)")
        }
        prefetcher.isPaused = false
        fixture.loader.release(url)
        for await completion in completions {
            #expect(completion.error == nil)
            break
        }
    }
}
