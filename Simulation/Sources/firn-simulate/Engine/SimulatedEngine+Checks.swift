// Checks the invariants as far as they are visible from outside the table.
extension SimulatedEngine {
    private func index(_ stage: JobStage) -> Int { Int(stage.rawValue) }

    /// Stages that share a limit also share the forced starts of older jobs.
    private func group(_ stage: JobStage) -> Int { stage == .process ? index(.decode) : index(stage) }

    // MARK: Which tasks wait for which jobs

    /// Returns the highest level of the unpaused tasks that wait for a job; -1 if all of them are paused.
    func level(_ work: Work) -> Int {
        if work.stage.isDetached { return 0 }
        var level = -1
        var isForNobody = true
        for number in waiting[work.key] where isFor(number, work) {
            isForNobody = false
            if !clients[number].isPaused { level = max(level, clients[number].level) }
        }
        // A running job without waiting tasks is allowed to finish.
        return isForNobody ? 0 : level
    }

    /// Returns whether any task waits for a job, paused or not.
    func isWanted(_ work: Work) -> Bool {
        work.stage.isDetached || waiting[work.key].contains { isFor($0, work) }
    }

    private func isFor(_ number: Int, _ work: Work) -> Bool {
        guard clients[number].plan.starts(with: work.plan), clients[number].root === (work.root ?? work) else {
            return false
        }
        // A task that has an image of the first bytes does not need the rest.
        return !clients[number].isBeyondFetch || work.root != nil
    }

    /// Returns whether a fetch that is not running is still in the table: tasks wait for it, or for jobs that use its
    /// bytes.
    func isKept(_ work: Work) -> Bool {
        (work.state != .over || work.succeeded)
            && (isWanted(work) || work.succeeded && !work.isGone && isAwaited(work.key))
    }

    /// Marks the finished fetches that the table has dropped.
    func noteGone() {
        guard circumstances.lookups > 0 else { return }
        for case let root? in roots where root.succeeded && !root.isGone && !isKept(root) { root.isGone = true }
    }

    /// Returns whether a look-up that may lead to the bytes of a key is under way.
    private func isAwaited(_ key: Int) -> Bool {
        roots.contains { root in
            guard let root, root.leadsTo == key, !root.isToStop else { return false }
            return isKept(root) || root.state == .running
        }
    }

    /// Records that the waiting tasks have changed, so that only the table knows the order of the key's jobs among
    /// equals.
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
            // The step was dropped when no task waited for it, and is needed again.
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

    /// Removes the jobs that the table has dropped without an order because no task waits for them.
    private func prune(_ stage: Int) { queued[stage].removeAll { !isWanted($0) || $0.isToStop } }

    /// Removes the jobs of a key that the table drops with their last task.
    ///
    /// A task that is added later waits for the fetch, and not for such a job, although their steps are the same.
    func forgetDropped(_ key: Int) {
        for stage in queued.indices { queued[stage].removeAll { $0.key == key && !isWanted($0) } }
    }

    func noteStart(_ start: Table.Start) {
        let work = start.work
        let stage = index(start.stage)
        trace(
            work.key,
            "\(start.stage) starts at level \(start.level)\(start.isResumption ? " again" : ""), place \(work.place)")
        expect(start.stage == work.stage, "a job started in another stage than it is in")
        expect(!work.isToStop, "a job was started that was told to stop")
        expect(start.isResumption == work.isHeld, "a resumption of what was not paused, or a second start")
        expect(isWanted(work), "work for nobody was started")
        let level = level(work)
        expect(level >= 0, "work was started for tasks that are all paused")
        expect(
            start.level == level, "\(work.stage) of key \(work.key) started at level \(start.level), \(level) is right")
        work.toldLevel = start.level
        expect(!limits.isSuspended && !limits.suspended.contains(StageSet(start.stage)), "a suspended stage started")
        if work.state == .queued { queued[stage].removeAll { $0 === work } }
        if !start.isResumption { checkPatience(work, stage) }
        let isChecked = start.stage == .transfer || !start.stage.isDetached && tally.starts % thoroughness == 0
        work.isExcused = isProtected(start)
        if isChecked { checkOrder(start) }
        started[stage] += 1
        sinceExcuse[group(work.stage)] += 1
        if !start.isResumption {
            running.append(work)
            work.ticket = start.ticket
        }
        expect(work.ticket == start.ticket, "a job changed its name")
        work.isHeld = false
        work.state = .running
        checkLimits(work)
        if work.stage == .transfer, !start.isResumption { checkRate(work) }
    }

    func noteFinish(_ work: Work, _ outcome: Table.Outcome) {
        expect(work.state == .running, "a \(work.stage) of key \(work.key) ended that does not run")
        let isTransfer = if case .moves(let stage) = outcome { stage == .decode } else { work.stage == .transfer }
        if isTransfer, work.isToStop != work.isCharged { takeToken(work, work.isToStop ? 1 : -1) }
        trace(work.key, "\(work.stage) ends: \(outcome), place \(work.place)")
        running.removeAll { $0 === work }
        work.isHeld = false
        work.isStalled = false
        work.isLingering = false
        switch outcome {
        case .finished:
            work.state = .over
            work.succeeded = true
            // The table ignores the end of a dropped decode: later tasks wait for the transfer.
            if work.isEarly, !work.isToStop, let parent = work.parent, parent.state != .over {
                passFetch(work, parent)
            }
        case .failed: work.state = .over
        case .moves: if work.isToStop { work.state = .over } else { noteQueued(work) }
        case .starved:
            work.state = .queued
        }
    }

    func noteEnd(_ number: Int, _ work: Work) {
        let client = clients[number]
        expect(client.key == work.key, "a task got another key's image")
        expect(client.root === (work.root ?? work), "a task got an image of an earlier load")
        expect(!client.isCancelled, "a task ended after its cancel")
        if work.succeeded {
            expect(client.plan == work.plan, "a task got an image that it did not ask for")
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
        case .stop(let work): trace(work.key, "\(work.stage) is told to stop, place \(work.place)")
        case .pause(let work, _): trace(work.key, "is paused, place \(work.place)")
        case .release(let work, _, _): trace(work.key, "loses its connection")
        case .prioritise(let work, let level, _): trace(work.key, "is told level \(level)")
        case .stall(let work, _): trace(work.key, "stalls")
        case .proceed(let work, _): trace(work.key, "proceeds")
        case .look: break
        }
        switch order {
        case .stop(let work):
            tally.stops += 1
            expect(!work.isToStop, "told to stop twice")
            expect(!isWanted(work) || work.isEarly, "told to stop though somebody waits")
            work.isToStop = true
            guard work.state != .running else { return }
            // The decode only has to release its memory; it ends no task.
            expect(work.stage == .decode && work.hasAskedMemory || work.isEarly, "told to stop though it has not begun")
            if work.state == .queued { queued[index(work.stage)].removeAll { $0 === work } }
            work.state = .over
        case .pause(let work, _):
            expect(work.stage == .transfer && work.state == .running, "a pause of what is no running transfer")
            expect(!work.isHeld, "paused twice")
            work.isHeld = true
            work.isStalled = false
            if !work.isCharged {
                takeToken(work, 1)
                chargedLately += 1
            }
            work.isCharged = true
        case .release(let work, _, _):
            expect(work.isHeld, "a connection given up that is in use")
        case .prioritise(let work, let level, _):
            expect(work.stage == .transfer, "a level for what is no transfer")
            work.toldLevel = level
        case .stall(let work, _):
            tally.stalls += 1
            let mayRead = work.state == .running && (!work.isHeld || work === resumed)
            expect(work.stage == .transfer && mayRead, "what does not read is stalled")
            expect(!work.isStalled, "key \(work.key) is stalled twice")
            expect(!work.isToStop, "key \(work.key) is stalled after its end")
            work.isStalled = true
        case .proceed(let work, _):
            expect(work.isStalled && !work.isHeld && !work.isToStop, "what is not stalled proceeds")
            work.isStalled = false
        case .look: break
        }
    }

    // MARK: Order

    /// Checks that no job of a higher level that could have started is passed, except for forced starts of the oldest
    /// job.
    private func checkOrder(_ start: Table.Start) {
        let work = start.work
        let stage = index(work.stage)
        prune(stage)
        let level = level(work)
        var passed: Work?
        var candidates = queued[stage]
        if work.stage == .transfer { candidates += running.filter { $0.isHeld && $0 !== work } }
        for other in candidates where !other.isEarly && !other.isToStop {
            guard passed == nil, couldStart(other, beside: start) else { continue }
            let otherLevel = self.level(other)
            if otherLevel > level || otherLevel == level && goesBefore(other, start) { passed = other }
        }
        guard let passed else { return }
        let group = group(work.stage)
        if sinceExcuse[group] >= 63, work.stage != .transfer || work.isExcused {
            // Started out of turn, to prevent starvation.
            tally.excused += 1
            sinceExcuse[group] = 0
            return
        }
        expect(
            work.isEarly,
            "\(work.stage) of key \(work.key), level \(level), place \(work.place), passed key \(passed.key), "
                + "level \(self.level(passed)), place \(passed.place)")
    }

    /// Returns whether a transfer was started because it had been passed too often, according to the table itself.
    private func isProtected(_ start: Table.Start) -> Bool {
        guard let job = table.job(start.ticket), table.jobs[job].transfer >= 0 else { return false }
        return table.transfers[Int(table.jobs[job].transfer)].isProtected
    }

    /// Checks that no job with a constant level waits for more than a given number of starts of its stage.
    ///
    /// Each 64th start that passes an older job takes the oldest, so a job behind `n` others starts after at most 64
    /// times n + 1. There is no bound where hosts, paused tasks or suspension can delay a job.
    private func checkPatience(_ work: Work, _ stage: Int) {
        guard !work.isReordered, !work.isEarly, areLimitsFirst, work.state == .queued, !work.stage.isDetached else {
            return
        }
        guard work.stage != .transfer || circumstances.hosts == 1 && !circumstances.isFirstHostDead else { return }
        guard work.stage == .decode || work.stage == .process || !limits.sharesByHost else { return }
        let passed = started[stage] - work.startsBefore
        tally.longest = max(tally.longest, passed)
        // Decodes and processor steps share their forced starts.
        expect(
            passed <= 64 * (work.aheadAtFirst + 2),
            "\(work.stage) of key \(work.key) waited for \(passed) starts behind \(work.aheadAtFirst)")
    }

    /// Returns whether another job of the same level must precede a job that starts.
    private func goesBefore(_ other: Work, _ start: Table.Start) -> Bool {
        let work = start.work
        // Jobs that were blocked because their host was full return in order, but not exactly in order with those of
        // other hosts.
        let areHostsEndless =
            areLimitsFirst && !limits.sharesByHost && limits.transferringPerHost >= limits.transferring
        if start.stage == .transfer, !areHostsEndless, !other.isHeld { return false }
        if start.isResumption { return other.isHeld && other.place < work.place && !other.isReordered }
        if other.isHeld { return true }
        // Of two jobs of one key, the older one may have reached its level later.
        guard limits.order == .firstInFirstOut, !other.isReordered, !work.isReordered, !work.isEarly,
            !work.hasAskedMemory, !other.hasAskedMemory, other.key != work.key
        else { return false }
        return other.place < work.place
    }

    private func couldStart(_ other: Work, beside start: Table.Start) -> Bool {
        guard self.level(other) >= 0 else { return false }
        // A file system may be full.
        guard start.stage == .transfer else { return start.stage != .read || !limits.sharesByHost }
        // Priority is before the turn of a host.
        if limits.sharesByHost, pausedLately == 0, start.work.host >= 0, other.host >= 0, other.host != start.work.host,
            !start.isResumption, !other.isHeld, level(other) > start.level
        {
            return transfersRunning(at: other.host) < places(of: other.host)
        }
        // A new transfer needs a token and room at its host, a resumed one does not; another host may be full.
        guard other.host >= 0 || start.work.host < 0 else { return false }
        return other.host == start.work.host && (other.isHeld || !start.isResumption)
    }

    private func checkLimits(_ work: Work) {
        func count(_ stages: JobStage...) -> Int { running.count { stages.contains($0.stage) && !$0.isHeld } }
        switch work.stage {
        case .decode, .process: expect(count(.decode, .process) <= limits.computing, "too many compute")
        case .read:
            expect(count(.read) <= limits.reading, "too many read")
            if limits.sharesByHost, areLimitsFirst, work.isFile {
                let beside = running.count { $0.stage == .read && $0.isFile && $0.fileSystem == work.fileSystem }
                expect(beside <= limits.readingPerHost, "too many reads of a file system")
            }
        case .store: expect(count(.store) <= limits.storing, "too many store")
        case .preview: expect(count(.preview) <= limits.previewing, "too many previews")
        case .transfer:
            // Once a limit is lowered, a transfer may still replace another until enough have ended.
            surplus = min(surplus, max(0, count(.transfer) - limits.transferring))
            expect(count(.transfer) <= limits.transferring + surplus, "too many transfers")
            if work.host >= 0, surplus == 0, areLimitsFirst {
                let beside = running.count { $0.stage == .transfer && !$0.isHeld && $0.host == work.host }
                expect(beside <= limits.transferringPerHost, "too many transfers of a host")
                // Places may have been lost since the transfers started that one of them replaces.
                expect(beside <= places(of: work.host) || pausedLately > 0, "more transfers than places of a host")
            }
            if level(work) <= 1, !work.isExcused, pausedLately == 0 {
                let low = running.count { $0.stage == .transfer && !$0.isHeld && !$0.isToStop && level($0) <= 1 }
                let share = max(1, limits.transferring - limits.reservedTransfers)
                expect(low <= share, "key \(work.key): prefetching took slot \(low) of \(share)")
            }
        }
        if work.isEarly, !(work.parent?.succeeded ?? false), areLimitsFirst {
            let sessions = running.count { $0.isEarly && !($0.parent?.succeeded ?? false) }
            expect(sessions <= limits.sessions, "too many early decodes")
        }
    }

    // MARK: Hosts

    private func places(of host: Int) -> Int { table.places(of: HostKey(number: UInt64(host))) }

    private func transfersRunning(at host: Int) -> Int {
        running.count { $0.stage == .transfer && !$0.isHeld && $0.host == host }
    }

    /// Checks that a host has a place, that a dead or full one delays no other, and that bodies hold few bytes.
    private func checkShares() {
        let entries = table.transfers.entries
        let stalled = entries.indices.filter { entries[$0].isReading && entries[$0].isStalled }
        let reading = entries.count { $0.isReading } - stalled.count
        expect(table.transfers.reading == reading, "reading transfers miscounted")
        expect(table.transfers.stalled == stalled.count, "stalled transfers miscounted")
        expect(table.claimed <= limits.heldBytes || reading <= 1, "transfers read though bodies hold too much")
        if let first = stalled.min(by: { table.proceeds($0, before: $1) }) {
            let isFitting = table.growth(of: first) <= limits.heldBytes - table.claimed
            expect(reading > 0 && !isFitting, "a transfer is stalled though it could proceed")
        }
        guard limits.sharesByHost else { return }
        for host in 0..<circumstances.hosts {
            expect((1...limits.transferringPerHost).contains(places(of: host)), "\(places(of: host)) places of a host")
        }
        guard !limits.isSuspended, !limits.suspended.contains(StageSet(.transfer)), !table.hasRunnable,
            table.transfers.taken < limits.transferring, table.isFed, table.limiter.hasToken
        else { return }
        for work in queued[index(.transfer)] where work.host >= 0 && !work.isToStop && level(work) >= 2 {
            expect(
                !isWanted(work) || transfersRunning(at: work.host) >= places(of: work.host),
                "key \(work.key) waits though its host has a place")
        }
    }

    // MARK: Rate

    private func refill() {
        guard let rate = limits.rate else { return }
        tokens = min(rate.burst, tokens + Double(now - tokensAt) / 1e9 * rate.perSecond)
        tokensAt = now
    }

    private func checkRate(_ work: Work) {
        guard areLimitsFirst, limits.rate != nil, work.host >= 0 else { return }
        refill()
        expect(tokens + chargedLately > 0.999, "a transfer started though too many were given up lately")
    }

    /// Takes tokens, or returns them if `count` is negative. A transfer costs a token only if it does not run to its
    /// end; a paused one costs a token until it has run to its end.
    private func takeToken(_ work: Work, _ count: Double) {
        guard let rate = limits.rate, work.host >= 0 else { return }
        refill()
        tokens = min(rate.burst, tokens - count)
    }

    // MARK: Early ends

    /// Records that an image was made of the first bytes: its tasks continue with that image.
    private func passFetch(_ work: Work, _ fetch: Work) {
        for number in waiting[work.key] where clients[number].root === fetch {
            if clients[number].plan.starts(with: work.plan) { clients[number].isBeyondFetch = true }
        }
        early[work.key].removeAll { $0.root !== fetch || $0.plan == work.plan }
        early[work.key].append(work)
    }

    /// Returns whether the first step of a new task was already done from the bytes of a running fetch.
    ///
    /// A task that comes after the source has refused the fetch fails with it; earlier ones go on with that image.
    func findsEarly(_ plan: Plan, _ fetch: Work) -> Bool {
        guard !fetch.isRefused else { return false }
        return early[fetch.key].contains { work in
            guard work.root === fetch, plan.starts(with: work.plan) else { return false }
            return waiting[fetch.key].contains { clients[$0].isBeyondFetch && isFor($0, work) }
        }
    }

    // MARK: The whole table

    /// Checks the state after each event, once orders are taken.
    func checkSettled() {
        guard tally.steps % thoroughness == 0, problem == nil else { return }
        expect(!table.hasOrders, "orders were left")
        checkShares()
        var urgent = false
        for work in running where !work.isToStop {
            let level = level(work)
            if !isWanted(work) {
                // The only reason to continue: the transfer is nearly done, and its bytes can be stored.
                let isOfUse = work.stage == .transfer && circumstances.keeps && work.host >= 0
                expect(isOfUse || work.stage.isDetached, "work for nobody goes on")
                if !work.isLingering, work.stage == .transfer { tally.lingered += 1 }
                work.isLingering = true
                work.toldLevel = 0
            } else {
                work.isLingering = false
                let isTold =
                    work.stage != .transfer || work.isHeld || level < 0 || work.toldLevel == level || work.host < 0
                expect(isTold, "key \(work.key) was told level \(work.toldLevel), \(level) is right")
            }
            if work.stage == .transfer, !work.isHeld, level >= 2, work.host >= 0 { urgent = true }
            if work.stage == .transfer, level < 0, work.host >= 0, !work.isLingering {
                expect(work.isHeld, "a transfer goes on though all its tasks are paused")
            }
        }
        if urgent, limits.pausesTransfers, !limits.isSuspended, !limits.suspended.contains(StageSet(.transfer)) {
            for work in running where work.stage == .transfer && !work.isHeld && !work.isToStop && work.host >= 0 {
                let mayGoOn = level(work) >= 2 || work.isLingering || work.isExcused
                expect(mayGoOn, "prefetching shares the line with what is urgent")
            }
        }
    }

    /// Checks that nothing is left when all tasks have ended.
    func checkEmpty() {
        expect(queue.isEmpty, "events are left")
        expect(table.taskCount == 0, "\(table.taskCount) tasks are left in the table")
        expect(table.jobCount == 0, "\(table.jobCount) jobs are left in the table")
        expect(!table.hasOrders && !table.hasRunnable && table.deadline == nil, "the table is not at rest")
        expect(table.reservedBytes == 0, "memory is left reserved")
        expect(table.claimed == 0 && table.transfers.stalled == 0, "bodies are left")
        expect(running.isEmpty && busy == 0, "\(running.count) jobs run, \(busy) workers are busy")
        let silent = clients.indices.filter { clients[$0].ended == nil }
        expect(silent.isEmpty, "\(silent.count) tasks did not end")
        for stage in queued.indices { queued[stage] = [] }
        roots = roots.map { _ in nil }
        early = early.map { _ in [] }
        let alive = census.alive
        expect(alive == 0, "\(alive) works are kept by somebody")
    }
}
