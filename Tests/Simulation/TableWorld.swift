import FirnTesting

@testable import FirnPipeline

/// A world around the real `JobTable`: tasks that are added, changed and cancelled, and workers of any speed.
///
/// Time does not pass: each step is one event, chosen by the seed. Invariants are checked after each step.
struct TableWorld: SeededWorld {
    final class Work {
        let name: String
        var isStopped = false
        init(_ name: String) { self.name = name }
    }

    struct Running {
        let ticket: JobTicket
        let work: Work
        let stage: JobStage
        var hasMemory = false
    }

    typealias Table = JobTable<Int, [Int], Work, Int>

    var random: SeededGenerator
    var table: Table
    let limits: StageLimits
    var waiting: [Int: JobTicket] = [:]
    var ended: Set<Int> = []
    var running: [Running] = []
    var nextClient = 0
    var problems: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        limits = StageLimits(
            computing: Int.random(in: 1...3, using: &random), reading: Int.random(in: 1...3, using: &random),
            transferring: Int.random(in: 1...4, using: &random), storing: 1,
            backlog: Int.random(in: 1...6, using: &random), storeBacklog: 4,
            decodingBytes: Int.random(in: 0...100, using: &random))
        table = Table(limits: limits)
    }

    /// Performs one event.
    mutating func step() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2: add()
        case 3: cancel()
        case 4: change()
        case 5...7: start()
        case 8: table.addDetached(Work("store"), stage: Bool.random(using: &random) ? .store : .preview)
        default: finish()
        }
        check()
    }

    /// Completes all work, without new tasks.
    mutating func drain() {
        var rounds = 0
        while table.jobCount > 0, rounds < 100_000 {
            start()
            if !running.isEmpty { finish() }
            check()
            rounds += 1
        }
        let (jobs, tasks, left) = (table.jobCount, table.taskCount, waiting.count)
        let silent = nextClient - ended.count
        let parked = table.memory.waiting.count
        let running = JobStage.allCases.map { table.running[Int($0.rawValue)] }
        let queued = QueueKind.allCases.map { table.queues.count($0) }
        expect(jobs == 0, "\(jobs) jobs are left: running \(running), queued \(queued), parked \(parked)")
        expect(tasks == 0 && left == 0, "\(left) tasks are left")
        expect(table.rootCount == 0, "roots are left")
        expect(table.reservedBytes == 0 && table.memory.waiting.isEmpty, "memory is left reserved")
        expect(table.queues.isEmpty, "queues are not empty")
        expect(silent == 0, "\(silent) tasks did not end")
    }

    // MARK: Users

    private mutating func add() {
        let client = nextClient
        nextClient += 1
        let steps = [[0], [0, 1], [0, 1, 2], [3], [3, 1], []].randomElement(using: &random) ?? []
        let isRead = Bool.random(using: &random)
        let key = Int.random(in: 0..<6, using: &random)
        let level = Int.random(in: 0..<5, using: &random)
        let admission = table.add(
            client, key: key, steps: steps, level: level, now: 0,
            makeRoot: { Table.Root(work: Work("root"), stage: isRead ? .read : .transfer) },
            makeChild: TableWorld.makeChild)
        switch admission {
        case .waits(let ticket): waiting[client] = ticket
        case .finished(let work):
            expect(work.map { !$0.isStopped } ?? false, "a task ended with work that was stopped")
            expect(ended.insert(client).inserted, "task \(client) ended twice")
        }
    }

    private mutating func cancel() {
        guard let (client, ticket) = waiting.randomElement(using: &random) else { return }
        table.cancel(ticket, now: 0)
        for case .stop(let work) in table.takeOrders() { work.isStopped = true }
        end(client)
    }

    private mutating func change() {
        guard let (_, ticket) = waiting.randomElement(using: &random) else { return }
        let level = Int.random(in: 0..<5, using: &random)
        table.setLevel(ticket, to: level, now: 0)
    }

    private static func makeChild(of work: Work?, for step: Int) -> (Work, JobStage) {
        (Work("step \(step)"), step % 3 == 0 ? .decode : .process)
    }

    // MARK: Workers

    private mutating func start() {
        guard let start = table.next(now: 0) else { return }
        expect(!start.work.isStopped, "a stopped job was started")
        running.append(Running(ticket: start.ticket, work: start.work, stage: start.stage))
    }

    private mutating func finish() {
        guard let index = running.indices.randomElement(using: &random) else { return }
        let job = running[index]
        if job.stage == .decode, !job.hasMemory, Bool.random(using: &random) {
            let bytes = Int.random(in: 1...120, using: &random)
            let isGranted = table.reserve(bytes, for: job.ticket)
            if isGranted { running[index].hasMemory = true } else { running.remove(at: index) }
            return
        }
        running.remove(at: index)
        let outcome: Table.Outcome
        switch Int.random(in: 0..<8, using: &random) {
        case 0: outcome = .failed
        case 1 where job.stage == .read: outcome = .moves(.transfer)
        case 1 where job.stage == .transfer: outcome = .moves(.decode)
        default: outcome = .finished
        }
        var done: [Int] = []
        table.finish(job.ticket, outcome, now: 0, ended: &done, makeChild: TableWorld.makeChild)
        expect(!job.work.isStopped || done.isEmpty, "a stopped job delivered")
        for client in done { end(client) }
    }

    private mutating func end(_ client: Int) {
        expect(ended.insert(client).inserted, "task \(client) ended twice")
        expect(waiting.removeValue(forKey: client) != nil, "task \(client) ended without waiting")
    }

    // MARK: Invariants

    private mutating func check() {
        let counts = Dictionary(grouping: running, by: \.stage).mapValues(\.count)
        func count(_ stage: JobStage) -> Int { counts[stage] ?? 0 }
        expect(count(.decode) + count(.process) <= limits.computing, "too many compute")
        expect(count(.read) <= limits.reading, "too many read")
        expect(count(.transfer) <= limits.transferring, "too many transfer")
        expect(count(.store) <= limits.storing, "too many store")
        expect(count(.preview) <= limits.previewing, "too many previews")
        for stage in JobStage.allCases {
            expect(count(stage) == table.running[Int(stage.rawValue)], "miscounted \(stage)")
        }
        let reserved = table.memory.holders.map(\.bytes)
        expect(reserved.reduce(0, +) == table.reservedBytes, "miscounted memory")
        expect(
            table.reservedBytes <= limits.decodingBytes || reserved.count { $0 > 0 } == 1, "too much memory promised")
        for job in table.jobs.all where job.phase == .queued || job.phase == .running || job.phase == .parked {
            let isWaitedFor = job.firstTask >= 0 || job.stage.isDetached
            expect(isWaitedFor, "work for nobody")
            expect(Int(job.level) == job.waiting.highest ?? (job.stage.isDetached ? 0 : -1), "a stale priority")
        }
        for (client, ticket) in waiting { expect(table.task(ticket) != nil, "task \(client) was lost") }
    }

    private mutating func expect(_ condition: Bool, _ problem: @autoclosure () -> String) {
        // Only the first failure is recorded; later ones are consequences and would hide it.
        if !condition, problems.isEmpty { problems.append(problem()) }
    }
}
