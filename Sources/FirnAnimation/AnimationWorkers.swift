import FirnPipeline
import FoundationEssentials

/// The threads that decode animations: a few for the whole process, so that animations delay neither each other nor the
/// pipeline's loading.
///
/// An animation queues one job at a time, the decode of a frame, so animations take turns.
final class AnimationWorkers: Sendable {
    typealias Job = @Sendable () -> Void

    /// The threads of the process: two, or one on a single core. Started when first needed.
    static let shared = AnimationWorkers(count: max(1, min(2, ProcessInfo.processInfo.activeProcessorCount)))

    private struct Jobs: WaitingWork {
        var jobs: [Job] = []

        var isEmpty: Bool { jobs.isEmpty }
        // The array is short: each animation has at most one job.
        mutating func next() -> Job? { jobs.isEmpty ? nil : jobs.removeFirst() }
    }

    private let workers: WorkerGroup<Jobs>

    init(count: Int) { workers = WorkerGroup(count: count, Jobs()) { $0() } }

    /// Runs `job` after the jobs that were queued before.
    func run(_ job: @escaping Job) { workers.change { $0.jobs.append(job) } }
}
