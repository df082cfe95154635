// The operations of tasks on the engine.
extension SimulatedEngine {
    /// Adds a task.
    ///
    /// - Returns: the task's number.
    @discardableResult
    func add(key: Int, plan: Plan, level: Int, isPaused: Bool = false, host: Int = 0) -> Int {
        let number = clients.count
        tally.clients += 1
        clients.append(Client(key: key, plan: plan, level: level, isPaused: isPaused, started: now))
        trace(key, "task \(number) comes at level \(level)\(isPaused ? ", paused" : "")")
        place(number, host) { makeRoot in
            table.add(
                number, key: key, steps: plan, level: level, isPaused: isPaused, now: now, makeRoot: makeRoot,
                makeChild: makeChild)
        }
        return number
    }

    /// Moves a task to other work, as a look-up does that finds a better start.
    func move(_ number: Int, to key: Int, plan: Plan, host: Int) {
        let client = clients[number]
        guard client.ended == nil, client.key != key else { return }
        trace(client.key, "task \(number) moves to key \(key)")
        leave(number)
        clients[number].key = key
        clients[number].plan = plan
        place(number, host) { makeRoot in
            let admission = table.move(
                client.ticket, to: key, steps: plan, now: now, makeRoot: makeRoot, makeChild: makeChild)
            guard let admission else {
                expect(false, "a waiting task could not be moved")
                return .waits(client.ticket)
            }
            if case .waits(let ticket) = admission { expect(ticket == client.ticket, "a moved task has a new ticket") }
            return admission
        }
    }

    /// Attaches a task to the work for its key and plan, and checks what it joins.
    private func place(_ number: Int, _ host: Int, _ body: (() -> Table.Root) -> Table.Admission) {
        let (key, plan) = (clients[number].key, clients[number].plan)
        let known = roots[key]
        let isBeyond = known.map { !$0.isToStop && $0.state != .over && findsEarly(plan, $0) } ?? false
        // A transfer that is allowed to finish has the lowest level, without an order.
        if let known, known.state == .running, !isWanted(known) { known.toldLevel = 0 }
        var made: Work?
        let admission = body {
            let isLocal = host < 0
            let root = makeRoot(key: key, host: host)
            made = root
            if root.isFile, limits.sharesByHost {
                return Table.Root(
                    work: root, stage: root.stage, host: HostKey(fileSystem: UInt64(root.fileSystem)),
                    leadsTo: root.leadsTo)
            }
            let key = isLocal || root.transfer.isImmediate ? nil : HostKey(number: UInt64(host))
            return Table.Root(
                work: root, stage: root.stage, host: key, mayKeep: circumstances.keeps && key != nil,
                leadsTo: root.leadsTo)
        }
        if let made {
            // Invariant: a task joins the running fetch, unless that fetch has failed or was stopped.
            let hasEnded = known.map { $0.isToStop || ($0.state != .running && !isKept($0)) } ?? true
            expect(hasEnded, "a second fetch of key \(key) beside one under way")
            roots[key] = made
        }
        switch admission {
        case .waits(let ticket):
            clients[number].ticket = ticket
            clients[number].root = roots[key]
            clients[number].isBeyondFetch = isBeyond && made == nil
            expect(roots[key] != nil, "a task joined nothing")
            expect(!(roots[key]?.isToStop ?? true), "a task joined what was told to stop")
            waiting[key].append(number)
            if made == nil { disturb(key) }
        case .finished(let work):
            let isRight = work.map { $0.succeeded && !$0.isToStop && $0.plan == plan && $0.key == key } ?? false
            expect(isRight, "a task ended at once with what it did not ask for")
            end(number, succeeded: true)
        }
        settle()
    }

    func cancel(_ number: Int) {
        guard clients[number].ended == nil else { return }
        // Order: the task ends first and the work is freed second, as in `ImageTask.cancel`.
        clients[number].isCancelled = true
        tally.cancels += 1
        trace(clients[number].key, "task \(number) is cancelled")
        leave(number)
        end(number, succeeded: false)
        table.cancel(clients[number].ticket, now: now)
        settle()
    }

    func setLevel(_ number: Int, to level: Int) {
        guard clients[number].ended == nil else { return }
        clients[number].level = level
        trace(clients[number].key, "task \(number) is at level \(level) now")
        disturb(clients[number].key)
        table.setLevel(clients[number].ticket, to: level, now: now)
        settle()
    }

    func setPaused(_ number: Int, _ isPaused: Bool) {
        guard clients[number].ended == nil else { return }
        clients[number].isPaused = isPaused
        trace(clients[number].key, "task \(number) \(isPaused ? "is paused" : "goes on")")
        disturb(clients[number].key)
        table.setPaused(clients[number].ticket, isPaused, now: now)
        settle()
    }

    func setLimits(_ new: StageLimits) {
        limits = new
        areLimitsFirst = false
        surplus = running.count { $0.stage == .transfer && !$0.isHeld }
        table.setLimits(new)
        settle()
    }

    // MARK: Ends

    func end(_ number: Int, succeeded: Bool) {
        expect(clients[number].ended == nil, "task \(number) ended twice")
        clients[number].ended = now
        clients[number].succeeded = succeeded
        clients[number].root = nil
        onEnd?(number)
    }

    func leave(_ number: Int) {
        let key = clients[number].key
        guard let index = waiting[key].firstIndex(of: number) else { return }
        waiting[key].remove(at: index)
        forgetDropped(key)
        disturb(key)
    }

    // MARK: Works

    private func makeRoot(key: Int, host: Int) -> Work {
        var transfer = Transfer(total: sizes[key])
        let weather = circumstances
        transfer.isImmediate = random.chance(weather.immediate)
        transfer.expected = random.chance(weather.unknownLengths) ? nil : sizes[key]
        if random.chance(weather.breaks) {
            // Every third fails before the first byte, as a refused request does.
            transfer.fate = .breaks(at: random.below(3) == 0 ? 0 : random.below(sizes[key] + 1))
        }
        if random.chance(weather.wrongLengths) {
            // The announced length is wrong: the transfer fails at its end.
            transfer.expected = sizes[key] + random.below(2 * sizes[key]) - sizes[key] / 2
            transfer.fate = .breaks(at: sizes[key])
        }
        transfer.isResumable = !random.chance(weather.unresumable)
        transfer.lies = random.chance(weather.lies)
        let isRead = host < 0 || (isDirect.map { !$0 } ?? random.chance(0.4))
        let work = Work(
            key: key, plan: Plan(), parent: nil, host: transfer.isImmediate ? -1 : host,
            stage: isRead ? .read : .transfer, transfer: transfer, census: census)
        // Look-ups lead to keys below theirs, so that none leads back.
        if key > 0, random.chance(weather.lookups) { work.leadsTo = random.below(key) }
        noteQueued(work)
        return work
    }

    func makeChild(of parent: Work?, for step: UInt8) -> (Work, JobStage) {
        let stage: JobStage = Plan.decodes(step) ? .decode : .process
        let work = Work(
            key: parent?.key ?? 0, plan: (parent?.plan ?? Plan()).adding(step), parent: parent, host: -1, stage: stage,
            transfer: Transfer(total: 0), census: census)
        expect(parent.map { !$0.isToStop } ?? false, "a child of what was told to stop")
        noteQueued(work)
        return (work, stage)
    }
}
