import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A snapshot` {
    private func count(_ snapshot: PipelineSnapshot, _ stage: PipelineEvent.Stage) -> (running: Int, queued: Int) {
        let queue = snapshot.queues.first { $0.stage == stage }
        return (queue?.running ?? -1, queue?.queued ?? -1)
    }

    @Test func `Is empty for an idle pipeline`() async {
        let snapshot = await PipelineFixture().pipeline.snapshot()
        #expect(snapshot.tasks == 0 && snapshot.jobs.isEmpty)
        #expect(snapshot.queues.map(\.stage) == PipelineEvent.Stage.allCases)
        #expect(snapshot.queues.allSatisfy { $0.queued == 0 && $0.running == 0 })
    }

    @Test func `Lists running and waiting jobs, and their tasks`() async throws {
        let fixture = PipelineFixture { $0.scheduling.transferLimit = 1 }
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let first = fixture.pipeline.imageTask(with: ImageRequest(url: url, priority: .high))
        _ = await fixture.loader.waitForRequest(url)
        let joined = fixture.pipeline.imageTask(with: url)
        let others = (0..<5).map { fixture.pipeline.imageTask(with: fixture.image("b\($0)")) }
        let snapshot = await fixture.pipeline.snapshot()
        #expect(snapshot.tasks == 7)
        #expect(count(snapshot, .transfer) == (1, 5))
        let job = try #require(snapshot.jobs.first)
        #expect(snapshot.jobs.count == 1 && job.source == url && job.tasks == 2)
        #expect(job.priority == .high && !job.isWaiting && job.age >= .zero)
        #expect(snapshot.description.contains("transfer: 1 running, 5 queued"))
        fixture.loader.release(url)
        for task in [first, joined] + others { _ = try await task.image }
        #expect(await fixture.pipeline.snapshot().statistics.decodes == 6)
    }

    @Test func `Counts a paused transfer as such`() async throws {
        let fixture = PipelineFixture()
        let url = "https://example.org/a"
        let (task, transfer) = await fixture.start(url)
        transfer.respond()
        task.isPaused = true
        let snapshot = await fixture.pipeline.snapshot()
        #expect(snapshot.queues.first { $0.stage == .transfer }?.paused == 1)
        #expect(snapshot.jobs.map(\.tasks) == [1] && snapshot.jobs.allSatisfy { $0.isWaiting && $0.priority == nil })
        task.cancel()
    }
}
