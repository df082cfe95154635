/// Threads that run closures in the order in which they were queued. They start when first needed and never end.
package final class WorkerQueue: Sendable {
    /// A closure that runs on one of the threads, without a lock.
    package typealias Job = @Sendable () -> Void

    /// The queued jobs; those before `first` have been taken.
    private struct Jobs: WaitingWork {
        private var jobs: [Job?] = []
        private var first = 0

        var isEmpty: Bool { first == jobs.count }

        mutating func append(_ job: @escaping Job) { jobs.append(job) }

        mutating func next() -> Job? {
            guard !isEmpty else { return nil }
            defer {
                jobs[first] = nil
                first += 1
                // A queue that is never empty drops the taken jobs half by half, so that each is moved once.
                if first * 2 >= jobs.count {
                    jobs.removeFirst(first)
                    first = 0
                }
            }
            return jobs[first]
        }
    }

    private let workers: WorkerGroup<Jobs>

    /// Creates a queue without threads.
    ///
    /// - Parameter count: the largest number of threads.
    package init(count: Int) { workers = WorkerGroup(count: count, Jobs()) { $0() } }

    /// Runs `job` after the jobs that were queued before.
    package func run(_ job: @escaping Job) { workers.change { $0.append(job) } }
}
