import FirnImage
import FirnSync

// The threads that do the work.
extension JobRunner {
    func perform(_ call: IdleWorkers.Call) {
        switch call {
        case .none: break
        case .wake(let worker): state.withLock { $0.parkers[worker] }.unpark()
        case .start(let worker):
            let parker = ThreadParker()
            state.withLock { state in
                while state.parkers.count <= worker { state.parkers.append(parker) }
                state.parkers[worker] = parker
            }
            if !WorkerThread.start({ self.work(as: worker, parker) }) {
                // Without another thread those that run go on; without any, the next task tries again.
                state.withLock { $0.roster.failedToStart() }
            }
        }
    }

    /// What a worker does next.
    private struct Turn {
        var job: StartedJob?
        /// Whom to wake, so that somebody takes the next job.
        var call = IdleWorkers.Call.none
        /// Without a job: until when to sleep, if not called before.
        var moment: Moment?
        var leaves = false
    }

    /// A worker's life: take the best job, do it, hand it back and take the next in one critical section.
    private func work(as worker: Int, _ parker: ThreadParker) {
        var ended: [ImageTask] = []
        var priority = WorkerPriority.OfThread()
        var now = JobRunner.now()
        var turn = state.withLock { state in
            state.roster.arrived()
            return nextTurn(worker, &state, now)
        }
        while !turn.leaves {
            guard let job = turn.job.take() else {
                let isCalled = sleep(on: parker, until: turn.moment)
                now = JobRunner.now()
                turn = state.withLock { state in
                    state.wakes(worker, isCalled: isCalled)
                    return nextTurn(worker, &state, now)
                }
                continue
            }
            perform(turn.call)
            priority.apply()
            turn = work(on: job, worker, &ended)
        }
    }

    /// Sleeps until there is work or the moment has come. Who sleeps for long gives back the memory that images left.
    private func sleep(on parker: ThreadParker, until moment: Moment?) -> Bool {
        if PixelMappings.isEmpty { return parker.park(until: moment) }
        let end = JobRunner.now() &+ JobRunner.patience
        if let moment, moment <= end { return parker.park(until: moment) }
        if parker.park(until: end) { return true }
        PixelMappings.trim(unusedFor: JobRunner.patience / 2)
        return false
    }

    /// How long memory waits for the next images, at most one and a half times: a second.
    private static let patience: Int64 = 1_000_000_000

    /// Does a job, hands it back and takes the next.
    private func work(on job: StartedJob, _ worker: Int, _ ended: inout [ImageTask]) -> Turn {
        observeStart(job, on: worker)
        let outcome = run(job)
        observeEnd(job, outcome)
        if case .finished = outcome { keep(job) }
        let now = JobRunner.now()
        var after: After?
        let turn = state.withLock { state in
            after = finish(job, outcome, &state, &ended, now)
            return nextTurn(worker, &state, now)
        }
        tell(&ended, job.work, after)
        if job.stage == .decode { observeMemory() }
        return turn
    }

    private func nextTurn(_ worker: Int, _ state: inout State, _ now: Moment) -> Turn {
        if let start = state.table.next(now: now) {
            start.work.number = start.ticket.generation
            if !start.isResumption { start.work.startedAt = now }
            let job = StartedJob(
                ticket: start.ticket, work: start.work, stage: start.stage, isResumption: start.isResumption,
                number: start.number, level: start.level)
            if start.isResumption { state.statistics.transfersResumed += 1 }
            return Turn(job: job, call: state.call())
        }
        if state.isClosed, state.table.jobCount == 0 { return Turn(leaves: true) }
        return Turn(moment: state.sleeps(worker))
    }
}
