// Models what workers do with their jobs.
extension SimulatedEngine {
    func begin(_ start: Table.Start, _ work: Work) {
        guard !work.isStopped else {
            free()
            // A transfer that had begun before has already ended.
            if !start.isResumption { finish(work, .failed) }
            return
        }
        if start.isResumption {
            // The transfer may have failed since, and its work be a decode.
            free()
            resume(work, start.number)
            return
        }
        switch work.stage {
        case .transfer:
            // No thread blocks for a transfer.
            if work.transfer.isImmediate {
                free()
                guard work.transfer.fate == .whole else { return fail(work) }
                work.transfer.received = work.transfer.total
                finish(work, .finished)
            } else {
                free()
                beginTransfer(work)
            }
        case .read: plan(.done(work), in: circumstances.reading.moment(&random))
        case .decode: beginDecode(work)
        case .process: plan(.done(work), in: circumstances.processing.moment(&random))
        case .store: plan(.done(work), in: circumstances.storing.moment(&random))
        case .preview: plan(.done(work), in: circumstances.decoding.moment(&random))
        }
    }

    private func free() { busy -= 1 }

    private func beginDecode(_ work: Work) {
        if let parent = work.parent, parent.stage == .transfer, parent.state != .over {
            expect(work.isEarly, "a whole decode of bytes that are not there")
            expect(
                parent.transfer.hasResponded || parent.transfer.inherited > 0, "a decode of bytes before there is any")
            tally.earlySlices += 1
        } else {
            let hasBytes = work.isRefused || work.parent?.succeeded ?? false
            expect(work.isToStop || hasBytes, "a decode of a body that did not come")
        }
        // An early decode uses the bytes that have arrived when the slice starts.
        if let parent = work.parent { work.used = max(work.used, parent.transfer.received) }
        if !work.hasAskedMemory {
            work.hasAskedMemory = true
            if random.chance(circumstances.asksMemory) {
                work.memory = 1 + random.below(circumstances.maximumMemory)
                if !table.reserve(work.memory, for: work.ticket) {
                    tally.parked += 1
                    work.state = .parked
                    running.removeAll { $0 === work }
                    free()
                    return
                }
            }
        }
        var time = circumstances.decoding.moment(&random)
        if random.chance(circumstances.giants) { time *= 40 }
        if isSlice(work) { time /= 8 }
        plan(.done(work), in: time)
    }

    /// Returns whether bytes are missing at the end of a decode's run, which depends on the bytes at its start.
    private func isSlice(_ work: Work) -> Bool {
        guard work.isEarly, let parent = work.parent else { return false }
        return work.used < parent.transfer.total || parent.transfer.fate != .whole
    }

    func complete(_ work: Work) {
        free()
        if work.isStopped {
            finish(work, .failed)
            return
        }
        let weather = circumstances
        switch work.stage {
        case .read:
            if random.chance(weather.readFailures) {
                finish(work, .failed)
            } else if work.host < 0 && !work.transfer.isImmediate || random.chance(weather.diskHits) {
                finish(work, .finished)
            } else {
                work.stage = .transfer
                finish(work, .moves(.transfer))
            }
        case .decode where work.isRefused: finish(work, .failed)
        case .decode where isSlice(work):
            for client in table.audience(of: work.ticket) { notePreview(work, client) }
            if random.chance(weather.earlyFailures) {
                tally.earlyFailures += 1
                finish(work, .failed)
            } else if random.chance(weather.earlyFinishes) {
                tally.earlyFinishes += 1
                finish(work, .finished)
            } else {
                lookAgain(work)
                finish(work, .starved)
            }
        case .decode: finish(work, random.chance(weather.decodeFailures) ? .failed : .finished)
        case .process: finish(work, random.chance(weather.processFailures) ? .failed : .finished)
        case .store, .preview, .transfer: finish(work, .finished)
        }
    }

    /// Ends a transfer. If its source refused the request, before any byte of a body, the stale image is shown first.
    func fail(_ work: Work) {
        guard isWanted(work), !work.transfer.hasReceived, work.transfer.inherited == 0,
            random.chance(circumstances.refusals)
        else { return finish(work, .failed) }
        tally.refusals += 1
        work.isRefused = true
        work.hasAskedMemory = true
        work.stage = .decode
        finish(work, .moves(.decode))
    }

    /// Returns a job to the table, and ends its tasks.
    func finish(_ work: Work, _ outcome: Table.Outcome) {
        let wasToStop = work.isToStop
        noteFinish(work, outcome)
        var ended: [Int] = []
        let isKept = table.finish(work.ticket, outcome, now: now, ended: &ended, makeChild: makeChild)
        expect(!wasToStop || ended.isEmpty, "what was told to stop delivered")
        for number in ended {
            noteEnd(number, work)
            leave(number)
            end(number, succeeded: work.succeeded)
        }
        if isKept {
            tally.kept += 1
            expect(work.succeeded && work.stage == .transfer, "bytes are to be kept that did not come")
            detach(work, .store)
        } else if work.succeeded, work.stage == .decode, random.chance(circumstances.stores) {
            detach(work, .store)
        } else if case .moves(.transfer) = outcome, random.chance(circumstances.stalePreviews) {
            // The cached image is shown while its source is revalidated.
            tally.stalePreviews += 1
            detach(work, .preview)
        }
        settle()
    }

    /// The remaining time is too short for a preview; requests another run in case no bytes arrive.
    private func lookAgain(_ work: Work) {
        guard random.chance(circumstances.waitsForPreviews) else { return }
        tally.looks += 1
        table.lookAgain(work.ticket, at: now + circumstances.previewWait.moment(&random))
    }

    /// Adds a job without waiting tasks.
    private func detach(_ work: Work, _ stage: JobStage) {
        let new = Work(
            key: work.key, plan: work.plan, parent: nil, host: -1, stage: stage, transfer: Transfer(total: 0),
            census: census)
        noteQueued(new)
        table.addDetached(new, stage: stage)
    }
}
