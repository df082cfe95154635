@testable import FirnPipeline

/// A table with named keys, works and clients, and a clock set by hand; reports events as text.
final class TableRig {
    final class Work {
        let name: String
        init(_ name: String) { self.name = name }
    }

    typealias Table = JobTable<Int, [Int], Work, String>

    var table: Table
    var now: Moment = 0
    private var tickets: [String: JobTicket] = [:]
    private var started: [String: Table.Start] = [:]
    private var keys: [String: Int] = [:]

    static let millisecond: Moment = 1_000_000

    init(_ change: (inout StageLimits) -> Void = { _ in }) {
        var limits = StageLimits(
            computing: 4, reading: 4, transferring: 6, storing: 1, backlog: 100, storeBacklog: 100, decodingBytes: 100)
        limits.rate = nil
        change(&limits)
        table = Table(limits: limits)
    }

    init(copying other: TableRig) {
        table = other.table
        now = other.now
        (tickets, started, keys) = (other.tickets, other.started, other.keys)
    }

    /// Adds a task named `name`, for the bytes named `key`.
    @discardableResult
    func add(
        _ name: String, key: String? = nil, level: Int = 2, host: Int? = 1, steps: [Int] = [0], isPaused: Bool = false,
        stage: JobStage = .transfer, fileSystem: UInt64? = nil
    ) -> Bool {
        let key = key ?? name
        let number = keys[key] ?? keys.count
        keys[key] = number
        let admission = table.add(
            name, key: number, steps: steps, level: level, isPaused: isPaused, now: now,
            makeRoot: {
                Table.Root(
                    work: Work(key), stage: stage,
                    host: fileSystem.map { HostKey(fileSystem: $0) } ?? host.map { HostKey(number: UInt64($0)) },
                    mayKeep: true)
            }, makeChild: TableRig.makeChild)
        guard case .waits(let ticket) = admission else { return false }
        tickets[name] = ticket
        return true
    }

    static func makeChild(_ work: Work?, _ step: Int) -> (Work, JobStage) {
        (Work("\(work?.name ?? "")/\(step)"), step == 0 || step > 2 ? .decode : .process)
    }

    /// Moves a task to the bytes named `key`.
    func move(_ name: String, to key: String, steps: [Int] = [0]) {
        let number = keys[key] ?? keys.count
        keys[key] = number
        tickets[name].map {
            _ = table.move(
                $0, to: number, steps: steps, now: now, makeRoot: { Table.Root(work: Work(key), stage: .transfer) },
                makeChild: TableRig.makeChild)
        }
    }

    func setLevel(_ name: String, _ level: Int) { tickets[name].map { table.setLevel($0, to: level, now: now) } }
    func setPaused(_ name: String, _ isPaused: Bool) { tickets[name].map { table.setPaused($0, isPaused, now: now) } }
    func cancel(_ name: String) { tickets[name].map { table.cancel($0, now: now) } }

    /// Starts jobs until none may start; "+" marks a resumed transfer.
    func start(_ most: Int = 100) -> [String] {
        var names: [String] = []
        while names.count < most, let start = table.next(now: now) {
            started[start.work.name] = start
            names.append(start.isResumption ? "+\(start.work.name)" : start.work.name)
        }
        return names
    }

    /// Ends a started job; returns the names of the tasks that end with it.
    @discardableResult
    func finish(_ work: String, _ outcome: Table.Outcome = .finished) -> [String] {
        finishing(work, outcome).ended
    }

    /// Ends a started job; returns the tasks that end with it and whether its product is kept.
    func finishing(_ work: String, _ outcome: Table.Outcome = .finished) -> (ended: [String], isKept: Bool) {
        guard let start = started[work] else { return (["not started"], false) }
        var ended: [String] = []
        let isKept = table.finish(start.ticket, outcome, now: now, ended: &ended, makeChild: TableRig.makeChild)
        return (ended, isKept)
    }

    func reserve(_ bytes: Int, for work: String) -> Bool {
        started[work].map { table.reserve(bytes, for: $0.ticket) } ?? false
    }

    func respond(_ work: String) { started[work].map { table.transferResponded($0.ticket, at: now) } }

    /// Fails a transfer whose source has not responded in time, or has refused the request.
    func fail(_ work: String, hasTimedOut: Bool) {
        started[work].map { table.transferFailed($0.ticket, hasTimedOut: hasTimedOut) }
        finish(work, .failed)
    }

    /// Fails a transfer that will be sent again after a delay.
    func fail(_ work: String, waiting milliseconds: Int) {
        started[work].map {
            _ = table.transferWaits($0.ticket, for: Moment(milliseconds) * TableRig.millisecond, now: now)
        }
    }

    func begin(_ work: String, with received: Int, of expected: Int?) {
        started[work].map {
            table.transferBegan(
                $0.ticket, with: received, expected: expected, now: now, makeChild: TableRig.makeChild)
        }
    }

    func arrive(_ work: String, _ received: Int, of expected: Int?, isQuiet: Bool = false) {
        started[work].map {
            table.transferProgressed(
                $0.ticket, received: received, expected: expected, isQuiet: isQuiet, now: now,
                makeChild: TableRig.makeChild)
        }
    }

    func lookAgain(_ work: String, afterMilliseconds time: Int) {
        started[work].map { table.lookAgain($0.ticket, at: now + Moment(time) * TableRig.millisecond) }
    }

    func timeLeft(_ work: String) -> Moment? {
        started[work].flatMap { table.timeLeft(for: $0.ticket, now: now) }
    }

    func audience(_ work: String) -> [String] {
        started[work].map { table.audience(of: $0.ticket) } ?? []
    }

    /// Returns the orders since the last call.
    func orders() -> [String] {
        table.takeOrders().map {
            switch $0 {
            case .stop(let work): "stop \(work.name)"
            case .pause(let work, _): "pause \(work.name)"
            case .release(let work, _, _): "release \(work.name)"
            case .look: "look"
            case .prioritise(let work, let level, _): "\(work.name) to \(level)"
            case .stall(let work, _): "stall \(work.name)"
            case .proceed(let work, _): "proceed \(work.name)"
            }
        }
    }

    func wait(milliseconds: Int) { now += Moment(milliseconds) * TableRig.millisecond }
}
