/// Plays one script against the table, without modeled threads and network.
final class ScriptWorld {
    private let engine: SimulatedEngine
    private let setting: ScriptSetting
    /// The tasks' numbers in the engine; -1 for tasks that have not been added yet.
    private var tasks = [-1, -1, -1]

    init(_ setting: ScriptSetting) {
        self.setting = setting
        var quiet = Circumstances()
        quiet.heldUp = 0
        quiet.minimumBytes = 500_000
        quiet.maximumBytes = 500_001
        quiet.links = 0
        quiet.stores = 0
        quiet.stalePreviews = 0
        quiet.waitsForPreviews = 0
        var limits = StageLimits(
            computing: 1, reading: 1, transferring: setting.slots, storing: 1, backlog: 4, storeBacklog: 4,
            decodingBytes: 100)
        limits.transferringPerHost = setting.perHost
        limits.reservedTransfers = setting.reserved
        limits.sessions = setting.sessions
        limits.order = setting.order
        engine = SimulatedEngine(name: setting.name, seed: 1, circumstances: quiet, limits: limits, keys: 3)
        engine.isManual = true
        engine.thoroughness = 1
        engine.isDirect = setting.isTransfer
        for event in setting.prologue { play(event) }
    }

    var problem: String? { engine.problem }

    /// The events that are possible now.
    var possible: [ScriptEvent] {
        var events: [ScriptEvent] = []
        for (index, number) in tasks.enumerated() {
            if number < 0 {
                events.append(.add(index))
            } else if engine.clients[number].ended == nil {
                events.append(.cancel(index))
                events.append(.turn(index))
                events.append(.pause(index))
            }
        }
        if engine.table.hasRunnable { events.append(.next) }
        // Only the two oldest running jobs, which suffice to show that the order of ends makes no difference.
        for (index, work) in engine.running.prefix(2).enumerated() {
            if isAwaiting(work) { events.append(.starve(index)) } else { events.append(.finish(index)) }
            events.append(.fail(index))
            if work.stage == .read { events.append(.move(index)) }
            if work.stage == .decode, !work.hasAskedMemory, !work.isToStop { events.append(.reserve(index)) }
            if work.stage == .transfer, !work.isToStop { events.append(.bytes(index)) }
        }
        if engine.table.deadline != nil { events.append(.wait) }
        return events
    }

    /// Returns whether a decode has to wait for bytes.
    private func isAwaiting(_ work: Work) -> Bool {
        guard let parent = work.parent, work.isEarly else { return false }
        return parent.state != .over
    }

    func play(_ event: ScriptEvent) {
        engine.tally.steps += 1
        engine.now += 1_000_000
        switch event {
        case .add(let index):
            let part = setting.parts[index]
            tasks[index] = engine.add(key: part.key, plan: part.plan, level: part.level)
        case .cancel(let index): engine.cancel(tasks[index])
        case .turn(let index): engine.setLevel(tasks[index], to: engine.clients[tasks[index]].level == 4 ? 0 : 4)
        case .pause(let index): engine.setPaused(tasks[index], !engine.clients[tasks[index]].isPaused)
        case .next: engine.startByHand()
        case .finish(let index): finish(engine.running[index], .finished)
        case .fail(let index): finish(engine.running[index], .failed)
        case .starve(let index): finish(engine.running[index], .starved)
        case .move(let index):
            let work = engine.running[index]
            work.stage = .transfer
            finish(work, .moves(.transfer))
        case .reserve(let index): engine.reserveByHand(engine.running[index], 60)
        case .bytes(let index): engine.arriveByHand(engine.running[index])
        case .wait:
            engine.now += 6_000_000_000
            engine.table.tick(now: engine.now)
            engine.settle()
        }
    }

    private func finish(_ work: Work, _ outcome: SimulatedEngine.Table.Outcome) {
        if work.stage == .transfer { work.transfer.isOver = true }
        engine.finish(work, work.isToStop ? .failed : outcome)
    }

    /// Runs all jobs until they end.
    func drain() {
        for number in engine.clients.indices where engine.clients[number].isPaused { engine.setPaused(number, false) }
        var rounds = 0
        while engine.problem == nil, engine.table.jobCount > 0 {
            rounds += 1
            guard rounds < 200 else {
                engine.expect(false, "it does not come to an end")
                return
            }
            engine.now += 6_000_000_000
            engine.table.tick(now: engine.now)
            engine.settle()
            while engine.table.hasRunnable, engine.startByHand() {}
            // Transfers first, because early decodes wait for them.
            let work = engine.running.first { $0.stage == .transfer && !$0.isHeld } ?? engine.running.first
            if let work { finish(work, isAwaiting(work) ? .starved : .finished) }
        }
        if engine.problem == nil {
            engine.table.tick(now: engine.now + 60_000_000_000)
            engine.checkEmpty()
        }
    }
}
