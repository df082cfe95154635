import FirnSync

// The tasks and jobs of the table.
extension TableShell {
    /// The tasks that wait for a job and meet the condition.
    func tasks(of ticket: JobTicket, where condition: (ImageTask) -> Bool = { _ in true }) -> [ImageTask] {
        read { $0.table.clients(of: ticket, where: condition) }
    }

    /// The tasks that wait for a job, with their routes.
    func routed(of ticket: JobTicket) -> [RoutedTask] {
        read { $0.table.clients(of: ticket).map { ($0, $0.route) } }
    }

    /// The tasks that end with a job whose stage has an outcome.
    ///
    /// - Parameter closes: whether no task may join the job and those of the same root from now on.
    func endings(_ ticket: JobTicket, _ outcome: StageOutcome, closes: Bool) -> [RoutedTask] {
        read { state in
            if closes { state.table.closeRoot(of: ticket) }
            return state.table.endings(ticket, isNeedless: outcome.makesNeedless).map { ($0, $0.route) }
        }
    }

    /// The tasks of a job without a product that start again. If there are any, no task joins the job from now on.
    func leaving(_ ticket: JobTicket, where condition: (ImageTask) -> Bool) -> [RoutedTask] {
        read { state in
            let leaving = state.table.clients(of: ticket, where: condition)
            if !leaving.isEmpty { state.table.closeRoot(of: ticket) }
            return leaving.map { ($0, $0.route) }
        }
    }

    /// Adds a task. `nil` if the pipeline is closed or the task has ended.
    ///
    /// - Parameter isKnown: whether callers have the task already.
    func add(_ task: ImageTask, _ start: RouteStart, isKnown: Bool) -> Table.Admission? {
        let now = MonotonicClock.now()
        // Order: a task that ends after this check is removed from the table by the thread that ends it.
        let added = change { state -> (Table.Admission, StartedJob?)? in
            state.isClosed || isKnown && task.hasEnded ? nil : state.add(task, start, isKnown: isKnown, now: now)
        }
        if let job = added?.1 { begin(job) }
        return added?.0
    }

    /// Removes tasks that end with the results of a lookup, and moves others to other work, in one critical section.
    ///
    /// - Parameter count: counts the results.
    /// - Returns: whether a task still waits for the job, and the moved tasks that end with a job.
    func divert(
        _ ticket: JobTicket, ending: [ImageTask] = [], _ moves: [RouteMove] = [],
        count: (inout PipelineStatistics) -> Void = { _ in }
    ) -> (isWanted: Bool, finished: [(ImageTask, EngineJob)]) {
        let now = MonotonicClock.now()
        return change { state in
            count(&state.statistics)
            for task in ending { state.table.cancel(task.ticket, now: now) }
            let finished = moves.compactMap { move in
                state.move(move.task, to: move.start, now: now).map { (move.task, $0) }
            }
            return (state.table.isWanted(ticket), finished)
        }
    }

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
}

/// A task and the work that it moves to.
typealias RouteMove = (task: ImageTask, start: RouteStart)
