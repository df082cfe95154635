@testable import FirnPipeline

extension JobTable {
    /// Checks every invariant for every entry; returns the violations.
    mutating func problems() -> [String] {
        var problems: [String] = []
        func expect(_ condition: Bool, _ problem: @autoclosure () -> String) {
            if !condition { problems.append(problem()) }
        }
        var listed = [Int](repeating: 0, count: QueueKind.count)
        var (stages, hostRuns, hostJobs) = ([Int](repeating: 0, count: JobStage.count), [Int32: Int](), [Int32: Int]())
        var (jobTotal, taskTotal, keyTotal, early, earlyListed) = (0, 0, 0, 0, 0)
        for index in 0..<jobs.count where jobs[index].phase != .free {
            let job = jobs[index]
            jobTotal += 1
            let name = "job \(index) (\(job.phase) \(job.stage) level \(job.level))"
            if job.host >= 0 { hostJobs[job.host, default: 0] += 1 }
            var counts = PriorityCount()
            var (wanters, hung, last) = (0, 0, Int32(-1))
            var task = job.firstTask
            while task >= 0 {
                expect(tasks[task].job == index && tasks[task].previous == last, "\(name): a task is linked wrongly")
                if !tasks[task].isPaused { counts.add(Int(tasks[task].level)) }
                hung += 1
                (last, task) = (task, tasks[task].next)
            }
            expect(job.lastTask == last, "\(name): the last task is not the last")
            taskTotal += hung
            let isEarly = job.traits.contains(.isEarly)
            if isEarly {
                early += 1
                expect(hung == 0, "\(name): tasks hang on an early decode")
                if job.phase != .abandoned {
                    expect(job.parent >= 0 && jobs[job.parent].transfer >= 0, "\(name): early without a transfer")
                    for other in tasks(on: job.parent) where firstStep(other) == job.step {
                        wanters += 1
                        if !tasks[other].isPaused { counts.add(Int(tasks[other].level)) }
                    }
                    expect(
                        wanters == Int(job.wanters) && wanters > 0, "\(name): wanted by \(wanters), not \(job.wanters)")
                }
            }
            if job.phase != .finished, job.phase != .abandoned {
                let isLingering = job.transfer >= 0 && transfers[Int(job.transfer)].isLingering
                expect(hung > 0 || isEarly || isLingering || job.stage.isDetached, "\(name): work for nobody")
                expect(!isLingering || hung == 0, "\(name): lingers though it is waited for")
                expect(counts.highest == job.waiting.highest, "\(name): miscounted tasks")
                let level = isLingering || job.stage.isDetached ? 0 : counts.highest ?? -1
                expect(Int(job.level) == level, "\(name): should be at \(level)")
            }
            let mayBeListed = job.phase == .queued || job.phase == .held
            let list = Int(links[index].list)
            expect((list >= 0) == (mayBeListed && job.level >= 0), "\(name): in list \(list)")
            if list >= 64 {
                expect(list - 64 == Int(job.level), "\(name): put aside at a wrong level")
            } else if list >= 0 {
                expect(list == JobQueues.list(kind(of: index), Int(job.level)), "\(name): in list \(list)")
                listed[list % QueueKind.count] += 1
                if waitsForTurn(index) { expect(hosts[job.host].turns[Int(job.level)] == index, "\(name): no turn") }
                if isEarly { earlyListed += 1 }
            }
            if job.phase == .running
                || job.phase == .abandoned && !(job.transfer >= 0 && transfers[Int(job.transfer)].isHeld)
            {
                stages[Int(job.stage.rawValue)] += 1
                let isFileRead = job.stage == .read && job.host >= 0 && hosts[job.host].key.isFileSystem
                if job.stage == .transfer && job.host >= 0 || isFileRead { hostRuns[job.host, default: 0] += 1 }
            }
            let isUnderWay = job.stage == .transfer && [.running, .held, .abandoned].contains(job.phase)
            expect((job.transfer >= 0) == isUnderWay, "\(name): entry \(job.transfer)")
            if job.transfer >= 0 {
                let entry = transfers[Int(job.transfer)]
                expect(entry.job == index, "\(name): the entry is another's")
                expect(job.phase == .abandoned || entry.isHeld == (job.phase == .held), "\(name): held or not")
                expect(job.phase == .abandoned || entry.level == Int(job.level), "\(name): the entry's level is stale")
            }
            if let key = job.key {
                keyTotal += 1
                expect(keys[key] == index, "\(name): its key leads elsewhere")
            }
            let hasMemory = job.traits.contains(.hasMemory)
            let shares = (memory.holders + memory.waiting).count { $0.job == index }
            expect(shares == (hasMemory ? 1 : 0), "\(name): \(shares) shares of memory")
            expect(memory.waiting.contains { $0.job == index } == (job.phase == .parked), "\(name): parked or not")
        }
        expect(jobTotal == jobCount && taskTotal == taskCount, "jobs or tasks miscounted")
        expect(keyTotal == keys.count, "roots miscounted")
        expect(early == sessions.count && earlyListed == queuedSessions, "sessions miscounted")
        for stage in JobStage.allCases {
            expect(stages[Int(stage.rawValue)] == running[Int(stage.rawValue)], "\(stage) miscounted")
        }
        for kind in QueueKind.allCases { expect(listed[kind.rawValue] == queues.count(kind), "\(kind) miscounted") }
        expect(claimed == jobs.all.reduce(0) { $0 + $1.claim }, "claims miscounted")
        let stalled = transfers.entries.indices.filter { transfers[$0].isReading && transfers[$0].isStalled }
        let readers = transfers.entries.count { $0.isReading } - stalled.count
        expect(transfers.stalled == stalled.count, "stalled transfers miscounted")
        expect(transfers.reading == readers, "reading transfers miscounted")
        if let first = stalled.min(by: { proceeds($0, before: $1) }) {
            let isFitting = growth(of: first) <= limits.heldBytes - claimed
            expect(readers > 0 && !isFitting, "a transfer is stalled though it could proceed")
        }
        expect(claimed <= limits.heldBytes || readers <= 1, "\(readers) transfers read though bodies hold too much")
        for (index, host) in hosts.hosts.enumerated() {
            expect(host.claimed == jobs.all.reduce(0) { $0 + ($1.host == index ? $1.claim : 0) }, "claims of a host")
            expect(places(of: Int32(index)) > 0, "a host without a place")
            for level in 0..<JobQueues.levels where limits.sharesByHost && host.turns[level] < 0 {
                let first = host.blocked[level].head
                let mayWait = first < 0 || jobs[first].phase == .held || isFull(Int32(index))
                expect(mayWait, "host \(index) waits for no turn at level \(level)")
            }
            expect(host.running == hostRuns[Int32(index), default: 0], "transfers of host \(index) miscounted")
            expect(host.jobs == hostJobs[Int32(index), default: 0], "jobs of host \(index) miscounted")
        }
        let taken = transfers.entries.filter { !$0.isHeld }
        expect(transfers.taken == taken.count, "slots miscounted")
        expect(transfers.low == taken.count { $0.level <= 1 }, "low slots miscounted")
        expect(transfers.lowOnLine == taken.count { $0.level <= 1 && $0.host >= 0 }, "low on line miscounted")
        expect(transfers.highOnLine == taken.count { $0.level >= 2 && $0.host >= 0 }, "high on line miscounted")
        expect(memory.promised == memory.holders.reduce(0) { $0 + $1.bytes }, "memory miscounted")
        expect(memory.promised > 0 || memory.waiting.allSatisfy { jobs[$0.job].level < 0 }, "waits for free memory")
        return problems
    }
}
