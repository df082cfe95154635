import FirnSync

// Events of transfers, on threads of the loader.
extension Completion: TransferObserver {
    func transferBegan(_ ticket: JobTicket, with completed: Int, total: Int?) {
        let now = MonotonicClock.now()
        shell.change {
            $0.table.transferBegan(ticket, with: completed, expected: total, now: now, makeChild: EngineJob.child)
        }
    }

    func transferResponded(_ ticket: JobTicket, _ job: EngineJob) {
        let now = MonotonicClock.now()
        shell.emitter.emit(.transferResponded(ticket.generation), at: now)
        job.responded(at: now)
    }

    /// Gives tasks whose request would send other fields than that of the load a load of their own, if the response
    /// depends on these fields.
    func transferSelects(_ ticket: JobTicket, _ job: EngineJob, _ response: DataResponse) {
        guard opener.maySelect(by: response) else { return }
        let others = shell.routed(of: ticket).compactMap { other($0, job, response) }
        if !others.isEmpty { send(others, ticket) }
    }

    func transferArrived(_ ticket: JobTicket, _ job: EngineJob, completed: Int, total: Int?) {
        let now = MonotonicClock.now()
        shell.emitter.emit(.transferArrived(ticket.generation, completed: completed, total: total), at: now)
        let isQuiet = job.transfer?.isQuiet ?? false
        shell.change {
            $0.noteResponse(of: job, ticket)
            $0.table.transferProgressed(
                ticket, received: completed, expected: total, isQuiet: isQuiet, now: now, makeChild: EngineJob.child)
        }
    }

    func transferProgressed(_ ticket: JobTicket, completed: Int, total: Int?) {
        let watching = shell.tasks(of: ticket) { $0.isWatched }
        guard !watching.isEmpty else { return }
        let event = ImageTask.Event.progress(ImageTask.Progress(completed: completed, total: total))
        for task in watching { task.pass(event) }
        if watching.contains(where: \.wantsPreview) { shell.change { $0.table.awaitSilence(ticket) } }
    }

    func transferIsUnknown(_ ticket: JobTicket, _ job: EngineJob, head: Data, _ response: DataResponse?) -> Bool {
        // Most bodies are images, for which no task has to be checked.
        if decoders.decoder(head, response, for: job.request) != nil { return false }
        let tasks = shell.tasks(of: ticket)
        return !tasks.isEmpty
            && tasks.allSatisfy {
                !$0.request.wantsOriginal && decoders.decoder(head, response, for: $0.request) == nil
            }
    }

    func transferHasViewers(_ ticket: JobTicket) -> Bool {
        shell.tasks(of: ticket).contains { $0.mayShowStale && $0.latestPreview?.cacheType != .memory }
    }

    func transferWaits(_ ticket: JobTicket, for time: Duration) -> UInt64 {
        let now = MonotonicClock.now()
        return shell.change { $0.table.transferWaits(ticket, for: max(0, time.nanoseconds), now: now) }
    }

    func transferSpilled(_ part: PartialPart, of job: EngineJob) { writer.store(part, of: job) }

    func transferEnded(_ ticket: JobTicket, _ job: EngineJob, _ outcome: StageOutcome) {
        finish(StartedJob(ticket: ticket, job: job, stage: .transfer), outcome)
    }
}
