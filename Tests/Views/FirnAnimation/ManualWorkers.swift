import FirnSync

@testable import FirnAnimation
@testable import FirnPipeline

/// A queue of jobs that run when a test says so.
final class ManualWorkers: Sendable {
    private let jobs = Locked<[WorkerQueue.Job]>([])

    func add(_ job: @escaping WorkerQueue.Job) { jobs.withLock { $0.append(job) } }

    /// Runs the next job; returns whether there was one.
    @discardableResult
    func step() -> Bool {
        guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        job()
        return true
    }

    /// Runs jobs until there are none.
    func drain() { while step() {} }

    var count: Int { jobs.withLock { $0.count } }
}
