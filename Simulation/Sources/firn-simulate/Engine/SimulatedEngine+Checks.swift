// What must hold, as far as it can be seen from outside.
extension SimulatedEngine {
    private func index(_ stage: JobStage) -> Int { Int(stage.rawValue) }

    // MARK: Who waits for what

    /// The highest level of those who wait for a job and are not paused; -1 if nobody is.
    func level(_ work: Work) -> Int {
        if work.isLingering { return 0 }
        if work.stage == .store { return 0 }
        var level = -1
        for number in waiting[work.key] where isFor(number, work) && !clients[number].isPaused {
            level = max(level, clients[number].level)
        }
        return level
    }

    /// Whether anybody waits for a job, paused or not.
    func isWanted(_ work: Work) -> Bool {
        work.stage == .store || waiting[work.key].contains { isFor($0, work) }
    }

    private func isFor(_ number: Int, _ work: Work) -> Bool {
        clients[number].plan.starts(with: work.plan) && clients[number].root === (work.root ?? work)
    }

    /// Whether a fetch that does not run is still in the table: somebody waits for it, or wants more than bytes of it.
    func isKept(_ work: Work) -> Bool { (work.state != .over || work.succeeded) && isWanted(work) }

    /// Who waits has changed: where the key's jobs stand among equals is the table's business.
    func disturb(_ key: Int) {
        for stage in queued { for work in stage where work.key == key { work.isReordered = true } }
        for work in running where work.key == key { work.isReordered = true }
    }

    // MARK: Jobs

    func noteQueued(_ work: Work) {
        placesGiven += 1
        work.place = placesGiven
        work.state = .queued
        let stage = index(work.stage)
        work.startsBefore = started[stage]
        if let root = work.root {
            // One that was dropped, because nobody waited for it, and is wanted again now.
            for stage in queued.indices {
                queued[stage].removeAll { $0.root === root && $0.plan.starts(with: work.plan) }
            }
            let isTwice = running.contains { $0.root === root && $0.plan == work.plan && !$0.isToStop }
            expect(!isTwice, "the same step of key \(work.key) twice")
        }
        queued[stage].append(work)
        if queued[stage].count > 64, placesGiven % 64 == 0 { prune(stage) }
        work.aheadAtFirst = queued[stage].count
    }

    /// Forgets what the table has dropped without a word, because nobody waits for it.
    private func prune(_ stage: Int) { queued[stage].removeAll { !isWanted($0) || $0.isToStop } }

    func noteStart(_ start: Table.Start) {
        let work = start.work
        let stage = index(start.stage)
        expect(start.stage == work.stage, "a job started in another stage than it is in")
        expect(!work.isToStop, "a job was started that was told to stop")
        expect(start.isResumption == work.isHeld, "a resumption of what was not paused, or a second start")
        expect(isWanted(work), "work for nobody was started")
        expect(level(work) >= 0, "work was started for tasks that are all paused")
        expect(!limits.isSuspended && !limits.suspended.contains(StageSet(start.stage)), "a suspended stage started")
        if work.state == .queued { queued[stage].removeAll { $0 === work } }
        let isChecked = start.stage != .store && tally.starts % thoroughness == 0
        if isChecked { checkOrder(work, stage) }
        started[stage] += 1
        sinceExcuse[stage] += 1
        if !start.isResumption {
            running.append(work)
            work.ticket = start.ticket
        }
        expect(work.ticket == start.ticket, "a job changed its name")
        work.isHeld = false
        work.state = .running
        checkLimits(work)
        if work.stage == .transfer, !start.isResumption { noteRate(work) }
    }

    func noteFinish(_ work: Work, _ outcome: Table.Outcome) {
        expect(work.state == .running, "a job ended that does not run")
        running.removeAll { $0 === work }
        work.isHeld = false
        work.isLingering = false
        switch outcome {
        case .finished:
            work.state = .over
            work.succeeded = true
            if work.stage == .transfer { giveToken(work) }
        case .failed: work.state = .over
        case .moves: noteQueued(work)
        case .starved:
            work.state = .queued
        }
    }

    func noteEnd(_ number: Int, _ work: Work) {
        let client = clients[number]
        expect(client.key == work.key, "a task got another key's picture")
        expect(client.root === (work.root ?? work), "a task got a picture of an earlier load")
        expect(!client.isCancelled, "a task ended after its cancel")
        if work.succeeded {
            expect(client.plan == work.plan, "a task got a picture that it did not ask for")
        } else {
            expect(client.plan.starts(with: work.plan), "a task failed with what it did not wait for")
        }
    }

    func notePreview(_ work: Work, _ number: Int) {
        tally.previews += 1
        let client = clients[number]
        expect(client.ended == nil, "a preview for a task that has ended")
        expect(client.key == work.key && client.plan.starts(with: work.plan), "a preview of something else")
        expect(client.root === (work.root ?? work), "a preview of an earlier load")
    }

    func note(_ order: Table.Order) {
        switch order {
        case .stop(let work):
            tally.stops += 1
            expect(!work.isToStop, "told to stop twice")
            expect(!isWanted(work) || work.isEarly, "told to stop though somebody waits")
            expect(work.state == .running, "told to stop though it does not run")
            work.isToStop = true
            work.isHeld = false
        case .pause(let work, _):
            expect(work.stage == .transfer && work.state == .running, "a pause of what is no running transfer")
            expect(!work.isHeld, "paused twice")
            work.isHeld = true
        case .release(let work, _, _):
            expect(work.isHeld, "a connection given up that is in use")
        case .prioritise(let work, let level, _):
            expect(work.stage == .transfer, "a level for what is no transfer")
            expect(level == self.level(work) || work.isToStop, "the transport was told another level")
        }
    }

    // MARK: Order

    /// Nothing that could have started, waits and is more urgent may be passed.
    private func checkOrder(_ work: Work, _ stage: Int) {
        prune(stage)
        let level = level(work)
        var isOldest = true
        var passed: Work?
        var candidates = queued[stage]
        if work.stage == .transfer { candidates += running.filter { $0.isHeld && $0 !== work } }
        for other in candidates where !other.isEarly && !other.isToStop {
            if other.place < work.place { isOldest = false }
            let otherLevel = self.level(other)
            guard otherLevel >= 0, passed == nil, work.stage != .transfer || couldStart(other, beside: work) else {
                continue
            }
            if otherLevel > level { passed = other }
            if otherLevel == level, limits.order == .firstInFirstOut, other.place < work.place, !other.isReordered,
                !work.isReordered, !work.isEarly, other.key != work.key
            {
                // Of two of one key the one that was made first may have become as urgent after the other.
                passed = other
            }
        }
        guard let passed else { return }
        if isOldest {
            tally.excused += 1
            work.isExcused = true
            expect(sinceExcuse[stage] >= 63 || thoroughness > 1, "out of turn too often")
            sinceExcuse[stage] = 0
            return
        }
        expect(
            work.isEarly,
            "\(work.stage) of key \(work.key), level \(level), place \(work.place), passed key \(passed.key), "
                + "level \(self.level(passed)), place \(passed.place)")
    }

    private func couldStart(_ other: Work, beside work: Work) -> Bool {
        guard !other.isHeld || !other.isExcused else { return false }
        if other.host == work.host { return true }
        // Another host may be full, or wait for a token.
        guard other.host < 0 else { return false }
        return true
    }

    private func checkLimits(_ work: Work) {
        func count(_ stages: JobStage...) -> Int { running.count { stages.contains($0.stage) && !$0.isHeld } }
        switch work.stage {
        case .decode, .process: expect(count(.decode, .process) <= limits.computing, "too many compute")
        case .read: expect(count(.read) <= limits.reading, "too many read")
        case .store: expect(count(.store) <= limits.storing, "too many store")
        case .transfer:
            expect(count(.transfer) <= limits.transferring, "too many transfers")
            if work.host >= 0 {
                let beside = running.count { $0.stage == .transfer && !$0.isHeld && $0.host == work.host }
                expect(beside <= limits.transferringPerHost, "too many transfers of a host")
            }
            if level(work) <= 1 {
                let low = running.count { $0.stage == .transfer && !$0.isHeld && level($0) <= 1 }
                let share = max(1, limits.transferring - limits.reservedTransfers)
                expect(low <= share, "prefetching took a slot that is to be free")
            }
        }
        if work.isEarly, !(work.parent?.succeeded ?? false) {
            let sessions = running.count { $0.isEarly && !($0.parent?.succeeded ?? false) }
            expect(sessions <= limits.sessions, "too many early decodes")
        }
    }

    // MARK: Rate

    private func refill() {
        guard let rate = limits.rate else { return }
        tokens = min(rate.burst, tokens + Double(now - tokensAt) / 1e9 * rate.perSecond)
        tokensAt = now
    }

    private func noteRate(_ work: Work) {
        guard isRateExact, limits.rate != nil, work.host >= 0 else { return }
        refill()
        tokens -= 1
        expect(tokens > -1.001, "more transfers started than the rate allows")
    }

    private func giveToken(_ work: Work) {
        guard limits.rate != nil, work.host >= 0 else { return }
        refill()
        tokens = min(limits.rate?.burst ?? 0, tokens + 1)
    }

    // MARK: All of it

    /// After each event, once orders are taken.
    func checkSettled() {
        guard tally.steps % thoroughness == 0, problem == nil else { return }
        expect(!table.hasOrders, "orders were left")
        var urgent = false
        for work in running where !work.isToStop {
            let level = level(work)
            if !isWanted(work), !work.isEarly, !work.isLingering {
                // The one reason to go on: it is nearly done, and its bytes can be kept.
                expect(work.stage == .transfer && circumstances.keeps, "work for nobody goes on")
                work.isLingering = true
                tally.lingered += 1
            } else if work.isLingering, isWanted(work) {
                work.isLingering = false
            }
            if work.stage == .transfer, !work.isHeld, level >= 2 { urgent = true }
        }
        if urgent, limits.pausesTransfers {
            for work in running where work.stage == .transfer && !work.isHeld && !work.isToStop && !work.isExcused {
                expect(level(work) >= 2 || work.isLingering, "prefetching shares the line with what is urgent")
            }
        }
    }

    /// At the end, when nobody asks for anything any more.
    func checkEmpty() {
        expect(queue.isEmpty, "events are left")
        expect(table.taskCount == 0, "\(table.taskCount) tasks are left in the table")
        expect(table.jobCount == 0, "\(table.jobCount) jobs are left in the table")
        expect(!table.hasOrders && !table.hasRunnable && table.deadline == nil, "the table is not at rest")
        expect(table.reservedBytes == 0, "memory is left reserved")
        expect(running.isEmpty && busy == 0, "\(running.count) jobs run, \(busy) workers are busy")
        let silent = clients.indices.filter { clients[$0].ended == nil }
        expect(silent.isEmpty, "\(silent.count) tasks did not end")
        for stage in queued.indices { queued[stage] = [] }
        roots = roots.map { _ in nil }
        let alive = census.alive
        expect(alive == 0, "\(alive) works are kept by somebody")
    }
}
