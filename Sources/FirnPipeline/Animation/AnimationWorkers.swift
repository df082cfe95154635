import FirnSync

/// The threads on which animations are decoded: a few for the whole process, so that animations can neither crowd each
/// other nor the pipeline's loading out.
///
/// An animation hands in one job at a time, a frame's decode, so they take turns.
final class AnimationWorkers: Sendable {
    typealias Job = @Sendable () -> Void

    /// Those of the process: two, or one on a single core. Started when first needed.
    static let shared = AnimationWorkers(count: min(2, Machine.cores))

    private struct State {
        var jobs: [Job] = []
        var roster: WorkerRoster
    }

    private let state: Locked<State>
    private let bells: [WorkerBell]

    init(count: Int) {
        state = Locked(State(roster: WorkerRoster(maximum: count)))
        bells = (0..<count).map { _ in WorkerBell() }
    }

    /// Runs `job` after those that were handed in before.
    func run(_ job: @escaping Job) {
        perform(
            state.withLock { state in
                state.jobs.append(job)
                return state.roster.call()
            })
    }

    private func perform(_ call: WorkerRoster.Call) {
        switch call {
        case .none: break
        case .wake(let worker): bells[worker].ring()
        case .start(let worker):
            // Without a thread the jobs stay, and the next one handed in tries again.
            if !WorkerThread.start({ self.work(worker) }) { state.withLock { $0.roster.failedToStart() } }
        }
    }

    private func work(_ worker: Int) -> Never {
        var hasJustCome = true
        var priority = WorkerPriority.OfThread()
        while true {
            let (job, call) = state.withLock { state -> (Job?, WorkerRoster.Call) in
                if hasJustCome { state.roster.arrived() }
                guard !state.jobs.isEmpty else {
                    state.roster.sleeps(worker)
                    return (nil, .none)
                }
                // Short: there is one job for each animation at most.
                let job = state.jobs.removeFirst()
                return (job, state.jobs.isEmpty ? .none : state.roster.call())
            }
            perform(call)
            hasJustCome = job == nil
            priority.apply()
            if let job { job() } else { _ = bells[worker].wait(until: nil) }
        }
    }
}
