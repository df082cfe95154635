import FirnTesting

@testable import FirnPipeline

/// Runs the real table with users, workers, hosts and time chosen by a seed; a model of the shell performs the orders.
struct TableDrill: SeededWorld {
    final class Work {
        let name: String
        var isStopped = false
        var isPaused = false
        var isStalled = false
        /// The number of the latest order or resumption that was performed.
        var number: UInt64 = 0
        init(_ name: String) { self.name = name }
    }

    struct Running {
        let ticket: JobTicket
        let work: Work
        let stage: JobStage
        var hasMemory = false
        var received = 0
    }

    typealias Table = JobTable<Int, [Int], Work, Int>

    var random: SeededGenerator
    var table: Table
    var limits: StageLimits
    var waiting: [Int: JobTicket] = [:]
    var paused: Set<Int> = []
    var ended: Set<Int> = []
    var running: [Running] = []
    var clients = 0
    var now: Moment = 0
    var problems: [String] = []
    var (pauses, keeps, earlies, releases, stalls) = (0, 0, 0, 0, 0)

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        var limits = StageLimits(
            computing: number(1...3), reading: number(1...3), transferring: number(1...5), storing: 1,
            backlog: number(1...6), storeBacklog: 4, decodingBytes: number(0...100))
        limits.transferringPerHost = number(1...5)
        limits.reservedTransfers = number(0...2)
        limits.sessions = number(0...3)
        limits.previewing = number(1...2)
        limits.minimumEarlyBytes = 10
        limits.previewTime = Moment(number(0...3) * 20)
        limits.holdTime = Moment(number(1...200))
        limits.order = number(0...1) == 0 ? .firstInFirstOut : .lastInFirstOut
        if number(0...1) == 0 { limits.rate = TransferRate(perSecond: 1e8, burst: 3) }
        if seed % 3 == 2 {
            limits.order = .firstInFirstOut
            limits.sharesByHost = true
            limits.heldBytes = number(20...300)
            limits.readingPerHost = number(1...2)
        }
        self.random = random
        self.limits = limits
        table = Table(limits: limits)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func step() {
        now += Moment(number(0...30))
        switch number(0...20) {
        case 0...3: add()
        case 4...5: cancel()
        case 6: if let (_, ticket) = someone() { change(ticket) }
        case 7: rest()
        case 8: if number(0...9) == 0 { suspend() }
        case 9:
            if number(0...3) == 0 { table.addDetached(Work("store"), stage: .store) }
            if number(0...3) == 0 { table.addDetached(Work("preview"), stage: .preview) }
        case 10...13: start()
        case 14...15: arrive()
        default: finish()
        }
        performOrders()
        check()
    }

    mutating func drain() {
        limits.isSuspended = false
        limits.suspended = []
        table.setLimits(limits)
        for client in paused { if let ticket = waiting[client] { table.setPaused(ticket, false, now: now) } }
        var rounds = 0
        while table.jobCount > 0, rounds < 20_000 {
            now += 50
            start()
            if !running.isEmpty { finish() }
            performOrders()
            check()
            rounds += 1
        }
        let left = table.jobCount
        expect(left == 0 && table.taskCount == 0, "\(left) jobs are left")
        expect(waiting.isEmpty && ended.count == clients, "not all tasks ended")
        expect(table.reservedBytes == 0 && table.sessions.isEmpty, "memory or sessions are left")
    }

    private mutating func someone() -> (Int, JobTicket)? {
        let clients = waiting.keys.sorted()
        guard let client = clients.randomElement(using: &random), let ticket = waiting[client] else { return nil }
        return (client, ticket)
    }

    private mutating func add() {
        let client = clients
        clients += 1
        let steps = [[0], [0, 1], [0, 1, 2], [3], [3, 1], []].randomElement(using: &random) ?? []
        let isRead = number(0...3) == 0
        let host = number(0...3)
        let isPaused = number(0...7) == 0
        let isFile = isRead && host == 0 && limits.sharesByHost
        let key = number(0...5)
        let level = number(0...4)
        let admission = table.add(
            client, key: key, steps: steps, level: level, isPaused: isPaused, now: now,
            makeRoot: {
                Table.Root(
                    work: Work("root"), stage: isRead ? .read : .transfer,
                    host: isFile ? HostKey(fileSystem: 1) : host == 0 ? nil : HostKey(number: UInt64(host)),
                    mayKeep: host > 1)
            }, makeChild: TableDrill.makeChild)
        switch admission {
        case .waits(let ticket):
            waiting[client] = ticket
            if isPaused { paused.insert(client) }
        case .finished(let work):
            expect(work.map { !$0.isStopped } ?? false, "a task ended with work that was stopped")
            expect(ended.insert(client).inserted, "task \(client) ended twice")
        }
    }

    private mutating func cancel() {
        guard let (client, ticket) = someone() else { return }
        table.cancel(ticket, now: now)
        end(client)
    }

    private mutating func change(_ ticket: JobTicket) {
        let level = number(0...4)
        table.setLevel(ticket, to: level, now: now)
    }

    private mutating func rest() {
        guard let (client, ticket) = someone() else { return }
        if paused.remove(client) == nil { paused.insert(client) }
        table.setPaused(ticket, paused.contains(client), now: now)
    }

    private mutating func suspend() {
        limits.isSuspended = number(0...3) == 0
        limits.suspended = number(0...1) == 0 ? [] : StageSet(JobStage.allCases[number(0...JobStage.count - 1)])
        limits.transferringPerHost = number(1...5)
        table.setLimits(limits)
    }

    private static func makeChild(of work: Work?, for step: Int) -> (Work, JobStage) {
        (Work("step \(step)"), step % 3 == 0 ? .decode : .process)
    }

    private mutating func start() {
        let isRunnable = table.hasRunnable
        guard let start = table.next(now: now) else {
            // Time may only end waits: a job that could start before can start now.
            expect(!isRunnable, "the table promised a job and gave none")
            return
        }
        expect(!start.work.isStopped, "a stopped job was started")
        if start.isResumption {
            perform(start.number, on: start.work) { $0.isPaused = false }
            expect(running.contains { $0.work === start.work }, "a transfer goes on that does not run")
        } else {
            running.append(Running(ticket: start.ticket, work: start.work, stage: start.stage))
        }
    }

    private mutating func arrive() {
        guard let index = running.indices.filter({ running[$0].stage == .transfer }).randomElement(using: &random)
        else {
            return
        }
        running[index].received += number(1...30)
        if limits.sharesByHost, number(0...5) == 0 {
            table.transferFailed(running[index].ticket, hasTimedOut: number(0...1) == 0)
        }
        if number(0...3) == 0 {
            table.transferResponded(running[index].ticket, at: now)
        } else {
            let before = table.sessions.count
            let expected = number(0...3) == 0 ? nil : 100
            table.transferProgressed(
                running[index].ticket, received: running[index].received, expected: expected,
                now: now, makeChild: TableDrill.makeChild)
            earlies += max(0, table.sessions.count - before)
        }
    }

    private mutating func finish() {
        guard let index = running.indices.randomElement(using: &random) else { return }
        let job = running[index]
        if job.stage == .decode, !job.hasMemory, number(0...1) == 0 {
            let bytes = number(1...120)
            let isGranted = table.reserve(bytes, for: job.ticket)
            if isGranted { running[index].hasMemory = true } else { running.remove(at: index) }
            return
        }
        running.remove(at: index)
        let outcome: Table.Outcome
        let isEarly = table.job(job.ticket).map { table.jobs[$0].traits.contains(.isEarly) } ?? false
        if isEarly, number(0...2) == 0 { table.lookAgain(job.ticket, at: now + Moment(number(0...100))) }
        switch number(0...8) {
        case 0: outcome = .failed
        case 1 where job.stage == .read: outcome = .moves(.transfer)
        case 1 where job.stage == .transfer: outcome = .moves(.decode)
        case 1...5 where isEarly: outcome = .starved
        default: outcome = .finished
        }
        var done: [Int] = []
        if table.finish(job.ticket, outcome, now: now, ended: &done, makeChild: TableDrill.makeChild) { keeps += 1 }
        performOrders()
        for client in done { end(client) }
    }

    private mutating func end(_ client: Int) {
        expect(ended.insert(client).inserted, "task \(client) ended twice")
        expect(waiting.removeValue(forKey: client) != nil, "task \(client) ended without waiting")
        paused.remove(client)
    }

    private mutating func performOrders() {
        for order in table.takeOrders() {
            switch order {
            case .stop(let work): work.isStopped = true
            case .pause(let work, let number):
                expect(!work.isStopped, "paused though it was stopped")
                perform(number, on: work) {
                    $0.isPaused = true
                    $0.isStalled = false
                }
                pauses += 1
            case .release(let work, _, let number):
                expect(!work.isStopped, "released though it was stopped")
                perform(number, on: work) { $0.isPaused = true }
                releases += 1
            case .look(let ticket): table.decodeEarly(ticket, now: now, makeChild: TableDrill.makeChild)
            case .prioritise(let work, let level, _): expect(!work.isStopped && level >= 0, "stopped and raised")
            case .stall(let work, let number):
                expect(!work.isStopped && !work.isStalled, "stalled though it was stopped or stalled")
                perform(number, on: work) { $0.isStalled = true }
                stalls += 1
            case .proceed(let work, let number):
                expect(!work.isStopped && work.isStalled, "proceeds though it was stopped or not stalled")
                perform(number, on: work) { $0.isStalled = false }
            }
        }
    }

    private func perform(_ number: UInt64, on work: Work, _ body: (Work) -> Void) {
        guard number > work.number else { return }
        work.number = number
        body(work)
    }

    private mutating func check() {
        if problems.isEmpty { problems = table.problems() }
        for (client, ticket) in waiting { expect(table.task(ticket) != nil, "task \(client) was lost") }
        for job in table.jobs.all where job.transfer >= 0 && job.phase != .abandoned {
            expect(job.work?.isPaused == (job.phase == .held), "a transfer runs that is paused, or the other way round")
            expect(
                job.work?.isStalled == table.transfers[Int(job.transfer)].isStalled,
                "a transfer reads that is stalled, or the other way round")
        }
        let computing = running.count { $0.stage == .decode || $0.stage == .process }
        expect(computing <= limits.computing, "too many compute")
        expect(running.count { $0.stage == .store } <= limits.storing, "too many store")
        expect(running.count { $0.stage == .preview } <= limits.previewing, "too many previews")
        let slots = running.count { $0.stage == .transfer && !$0.work.isPaused }
        expect(slots <= limits.transferring, "too many transfers run")
        expect(
            table.reservedBytes <= limits.decodingBytes || table.memory.holders.count == 1, "too much memory promised")
        expect(table.sessions.count <= limits.sessions, "too many sessions")
    }

    private mutating func expect(_ condition: Bool, _ problem: @autoclosure () -> String) {
        if !condition, problems.isEmpty { problems.append(problem()) }
    }
}
