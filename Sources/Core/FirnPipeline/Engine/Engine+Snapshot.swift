import FirnData
import FirnImage
import FirnSync

extension Engine {
    func snapshot(usage: MemoryUsage?) -> PipelineSnapshot {
        let now = MonotonicClock.now()
        // Order: under one lock, so that no job is counted twice. Descriptions are created without the lock.
        let (standings, started, tasks, reserved) = shell.read { state in
            let standings = state.table.survey()
            return (
                standings, standings.map { $0.work?.startedAt ?? 0 }, state.table.taskCount, state.table.reservedBytes
            )
        }
        var queues = PipelineEvent.Stage.allCases.map { PipelineSnapshot.Queue(stage: $0) }
        var jobs: [PipelineSnapshot.Job] = []
        for (standing, start) in zip(standings, started) {
            let stage = PipelineEvent.Stage(standing.stage)
            guard let index = queues.firstIndex(where: { $0.stage == stage }) else { continue }
            switch standing.state {
            case .queued: queues[index].queued += 1
            case .running: queues[index].running += 1
            case .held: queues[index].paused += 1
            case .waiting: queues[index].waiting += 1
            }
            guard standing.state != .queued, let work = standing.work else { continue }
            jobs.append(
                PipelineSnapshot.Job(
                    number: standing.ticket.generation, stage: stage, source: work.request.description,
                    priority: standing.tasks > 0 ? ImageRequest.Priority(rawValue: standing.level) : nil,
                    tasks: standing.tasks, age: start == 0 ? .zero : .nanoseconds(max(0, now - start)),
                    isWaiting: standing.state != .running))
        }
        jobs.sort { $0.age > $1.age }
        return PipelineSnapshot(
            queues: queues, jobs: Array(jobs.prefix(PipelineSnapshot.jobLimit)), tasks: tasks, decodingBytes: reserved,
            partialBytes: partialBodies.bytes, memory: usage, statistics: statistics)
    }
}
