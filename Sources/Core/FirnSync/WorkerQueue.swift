/// Threads that run closures in the order in which they were queued. They start when first needed and never end.
package final class WorkerQueue: Sendable {
    /// A closure that runs on one of the threads, without a lock.
    package typealias Job = @Sendable () -> Void

    /// A queued job, and what is called in its place if the system starts no thread.
    private struct Entry {
        let job: Job
        let refused: Job
    }

    /// The queued jobs; those before `first` have been taken.
    private struct Jobs: WaitingWork {
        private var jobs: [Entry?] = []
        private var first = 0

        var isEmpty: Bool { first == jobs.count }

        mutating func append(_ entry: Entry) { jobs.append(entry) }

        mutating func next() -> Entry? {
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
    package init(count: Int) {
        workers = WorkerGroup(count: count, Jobs(), refuse: { $0.refused() }) { $0.job() }
    }

    /// Runs `job` after the jobs that were queued before.
    ///
    /// - Parameter refused: called in its place if the system starts no thread; `nil` to run the job on the thread on
    ///   which that is noticed. That may be the caller's.
    package func run(_ job: @escaping Job, refused: Job? = nil) {
        workers.change { $0.append(Entry(job: job, refused: refused ?? job)) }
    }
}
