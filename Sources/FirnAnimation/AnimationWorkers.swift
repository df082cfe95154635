import FirnPipeline
import FoundationEssentials

/// The threads on which animations are decoded: a few for the whole process, so that animations can neither crowd each
/// other nor the pipeline's loading out.
///
/// An animation hands in one job at a time, a frame's decode, so they take turns.
final class AnimationWorkers: Sendable {
    typealias Job = @Sendable () -> Void

    /// Those of the process: two, or one on a single core. Started when first needed.
    static let shared = AnimationWorkers(count: max(1, min(2, ProcessInfo.processInfo.activeProcessorCount)))

    private struct Jobs: WaitingWork {
        var jobs: [Job] = []

        var isEmpty: Bool { jobs.isEmpty }
        // Short: there is one job for each animation at most.
        mutating func next() -> Job? { jobs.isEmpty ? nil : jobs.removeFirst() }
    }

    private let workers: WorkerGroup<Jobs>

    init(count: Int) { workers = WorkerGroup(count: count, Jobs()) { $0() } }

    /// Runs `job` after those that were handed in before.
    func run(_ job: @escaping Job) { workers.change { $0.jobs.append(job) } }
}
