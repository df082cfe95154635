/// Threads that run closures in the order in which they were queued. They start when first needed and never end.
package final class WorkerQueue: Sendable {
    /// A closure that runs on one of the threads, without a lock.
    package typealias Job = @Sendable () -> Void

    /// A queued job, and its fallback if the system starts no thread.
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
                // Removes taken jobs only when they are half of the array, so each job moves once at most.
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

    /// Runs `job` after all jobs queued earlier.
    ///
    /// - Parameter refused: called instead of the job if the system starts no thread. `nil`: the job runs on the thread
    ///   that notices the failure, possibly the caller's.
    package func run(_ job: @escaping Job, refused: Job? = nil) {
        workers.change { $0.append(Entry(job: job, refused: refused ?? job)) }
    }
}
