import FirnSync

// The threads that do the work.
extension JobRunner {
    func perform(_ call: WorkerRoster.Call) {
        switch call {
        case .none: break
        case .wake(let worker): state.withLock { $0.bells[worker] }.ring()
        case .start(let worker):
            let bell = WorkerBell()
            state.withLock { state in
                while state.bells.count <= worker { state.bells.append(bell) }
                state.bells[worker] = bell
            }
            if !WorkerThread.start({ self.work(as: worker, bell) }) {
                // Without another thread those that run go on; without any, the next task tries again.
                state.withLock { $0.roster.failedToStart() }
            }
        }
    }

    private enum Turn {
        case job(StartedJob, WorkerRoster.Call)
        /// Until the moment, or until called.
        case sleep(Moment?)
        case leave
    }

    /// A worker's life: take the best job, do it, hand it back and take the next in one critical section.
    private func work(as worker: Int, _ bell: WorkerBell) {
        var ended: [ImageTask] = []
        var turn: Turn = state.withLock { state in
            state.roster.arrived()
            return nextTurn(worker, &state)
        }
        while true {
            switch turn {
            case .leave: return
            case .sleep(let moment):
                let isCalled = bell.wait(until: moment)
                turn = state.withLock { state in
                    state.wakes(worker, isCalled: isCalled)
                    return nextTurn(worker, &state)
                }
            case .job(let job, let call):
                perform(call)
                let outcome = run(job)
                if case .finished = outcome { keep(job) }
                let after: After
                (after, turn) = state.withLock { state in
                    let after = finish(job, outcome, &state, &ended)
                    return (after, nextTurn(worker, &state))
                }
                tell(&ended, job.work, after)
            }
        }
    }

    private func nextTurn(_ worker: Int, _ state: inout State) -> Turn {
        if let start = state.table.next(now: JobRunner.now()) {
            let job = StartedJob(
                ticket: start.ticket, work: start.work, stage: start.stage, isResumption: start.isResumption,
                number: start.number, level: start.level)
            if start.isResumption { state.statistics.transfersResumed += 1 }
            return .job(job, state.call())
        }
        if state.isClosed, state.table.jobCount == 0 { return .leave }
        return .sleep(state.sleeps(worker))
    }
}
