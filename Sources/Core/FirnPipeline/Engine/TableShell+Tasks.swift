import FirnData
import FirnSync

// The tasks and jobs of the table.
extension TableShell {
    var isClosed: Bool { read { $0.isClosed } }

    /// The tasks that wait for a job and meet the condition.
    func tasks(of ticket: JobTicket, where condition: (ImageTask) -> Bool = { _ in true }) -> [ImageTask] {
        read { $0.table.clients(of: ticket, where: condition) }
    }

    func isWanted(_ ticket: JobTicket) -> Bool { read { $0.table.isWanted(ticket) } }

    func job(of task: ImageTask) -> EngineJob? { read { $0.table.work(for: task.ticket) } }

    /// Removes a task that has ended.
    func cancel(_ task: ImageTask) {
        let now = MonotonicClock.now()
        change { $0.table.cancel(task.ticket, now: now) }
    }

    /// Applies the priority that a caller has given to a running task.
    ///
    /// Order: read under the lock of the table. Of threads that change the same task at once, the last one to get here
    /// then applies the value that the task has kept.
    func setPriority(_ priority: ImageRequest.Priority, of task: ImageTask) {
        if task.number != 0 { emitter.emit(.taskChangedPriority(task.number, priority)) }
        let now = MonotonicClock.now()
        change { $0.table.setLevel(task.ticket, to: task.priority.rawValue, now: now) }
    }

    /// Pauses or resumes the work of a task, as the task says. The order is that of `setPriority`.
    func setPaused(_ isPaused: Bool, _ task: ImageTask) {
        if task.number != 0 { emitter.emit(isPaused ? .taskPaused(task.number) : .taskResumed(task.number)) }
        let now = MonotonicClock.now()
        change { $0.table.setPaused(task.ticket, task.isPaused, now: now) }
    }

    /// Applies changes that callers made to a task while it was not in the table.
    func catchUp(with task: ImageTask) {
        if task.priority != task.request.priority { setPriority(task.priority, of: task) }
        if task.isPaused { setPaused(true, task) }
        // Order: last, so that a task that was cancelled meanwhile is removed from the table.
        if task.state != .running { cancel(task) }
    }

    // MARK: The pipeline

    var scheduling: ImagePipeline.Scheduling { read { $0.scheduling } }

    /// Changes the limits of concurrent work.
    ///
    /// - Returns: the new limits of partial bodies.
    func changeScheduling(_ body: (inout ImagePipeline.Scheduling) -> Void) -> PartialLimits {
        change { state in
            body(&state.scheduling)
            state.applyScheduling()
            return state.scheduling.partialLimits
        }
    }

    /// Accepts no more tasks. Worker threads end once all jobs are done.
    func close() { change { $0.isClosed = true } }

    /// Suspends all stages, so that no queued job starts in the slot of a cancelled one.
    ///
    /// - Returns: all tasks.
    func suspendAll() -> [ImageTask] {
        read { state in
            var limits = state.table.limits
            limits.isSuspended = true
            state.table.setLimits(limits)
            return state.table.allClients
        }
    }

    /// Waits until all stores are done.
    func flush() async {
        await withUnsafeContinuation { continuation in
            let isDone = read { state in
                if state.hasStored { return true }
                state.flushing.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
