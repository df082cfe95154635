import FoundationEssentials

/// The waiting jobs of a group.
package protocol WaitingWork: Sendable {
    associatedtype Job: Sendable

    var isEmpty: Bool { get }
    /// Removes and returns the next job.
    mutating func next() -> Job?
}

/// Threads that run waiting jobs and sleep while there are none. They start when first needed and never end.
///
/// At most one worker is being woken at a time. A worker that takes a job while others wait wakes the next.
package final class WorkerGroup<Waiting: WaitingWork>: Sendable {
    private struct State {
        var waiting: Waiting
        var roster: IdleWorkers
    }

    private let state: Locked<State>
    private let parkers: [ThreadParker]
    private let run: @Sendable (Waiting.Job) -> Void
    private let refuse: @Sendable (Waiting.Job) -> Void

    /// - Parameters:
    ///   - refuse: receives each waiting job, on any thread and without a lock, if the system could start none of the
    ///     threads. If some started, they run the jobs.
    ///   - run: runs a job, without a lock.
    package init(
        count: Int, _ waiting: Waiting, refuse: @escaping @Sendable (Waiting.Job) -> Void,
        run: @escaping @Sendable (Waiting.Job) -> Void
    ) {
        state = Locked(State(waiting: waiting, roster: IdleWorkers(maximum: count)))
        parkers = (0..<count).map { _ in ThreadParker() }
        self.run = run
        self.refuse = refuse
    }

    /// Changes the waiting jobs and wakes a worker for them.
    package func change(_ body: (inout Waiting) -> Void) {
        perform(
            state.withLock { state in
                body(&state.waiting)
                return state.waiting.isEmpty ? .none : state.roster.call()
            })
    }

    private func perform(_ call: IdleWorkers.Call) {
        switch call {
        case .none: break
        case .wake(let worker): parkers[worker].unpark()
        case .start(let worker):
            if WorkerThread.start({ self.work(worker) }) { break }
            let refused = state.withLock { state -> [Waiting.Job] in
                state.roster.failedToStart()
                var jobs: [Waiting.Job] = []
                while state.roster.count == 0, let job = state.waiting.next() { jobs.append(job) }
                return jobs
            }
            refused.forEach(refuse)
        }
    }

    private func work(_ worker: Int) -> Never {
        var hasJustCome = true
        var priority = WorkerPriority.OfThread()
        while true {
            let (job, call) = state.withLock { state -> (Waiting.Job?, IdleWorkers.Call) in
                if hasJustCome { state.roster.arrived() }
                guard let job = state.waiting.next() else {
                    state.roster.sleeps(worker)
                    return (nil, .none)
                }
                return (job, state.waiting.isEmpty ? .none : state.roster.call())
            }
            perform(call)
            hasJustCome = job == nil
            priority.apply()
            if let job { run(job) } else { _ = parkers[worker].park(until: nil) }
        }
    }
}

/// Facts about the machine.
package enum Machine {
    /// The number of cores that this process may use.
    package static let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
}
