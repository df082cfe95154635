import Testing

@testable import FirnPipeline

/// Tests the effects of users' changes.
@Suite struct TaskRuleTests {
    /// Returns a transfer whose source responded after 100 ms and received 60 of 100 bytes in another 100 ms.
    private func nearlyDone() -> TableRig {
        let rig = TableRig()
        rig.add("a")
        _ = rig.start()
        rig.wait(milliseconds: 100)
        rig.respond("a")
        rig.wait(milliseconds: 100)
        rig.arrive("a", 60, of: 100)
        return rig
    }

    @Test func `A transfer that is nearly done is let finish, and its bytes are kept`() {
        let rig = nearlyDone()
        rig.cancel("a")
        #expect(rig.orders().isEmpty)
        let (ended, isKept) = rig.finishing("a")
        #expect(ended.isEmpty && isKept)
        #expect(rig.table.jobCount == 0)
    }

    @Test func `A task that is added again in the meantime joins it`() {
        let rig = nearlyDone()
        rig.cancel("a")
        rig.add("again", key: "a")
        let (ended, isKept) = rig.finishing("a")
        #expect(ended.isEmpty && !isKept)
        #expect(rig.start() == ["a/0"])
        #expect(rig.finish("a/0") == ["again"])
    }

    @Test func `What takes longer than hoped for is stopped after all`() {
        let rig = nearlyDone()
        rig.cancel("a")
        rig.wait(milliseconds: 200)
        rig.table.tick(now: rig.now)
        #expect(rig.orders() == ["stop a"])
        #expect(rig.finishing("a", .failed).isKept == false)
        #expect(rig.table.jobCount == 0)
    }

    @Test func `A moved task keeps its ticket, its level and its pause`() {
        let rig = TableRig { $0.transferring = 1 }
        rig.add("a", level: 4)
        rig.add("b", level: 3)
        rig.add("c", level: 4, isPaused: true)
        rig.move("a", to: "d")
        rig.move("c", to: "e")
        #expect(rig.start() == ["d"])
        #expect(rig.finish("d", .failed) == ["a"])
        #expect(rig.start() == ["b"])
        rig.finish("b", .failed)
        #expect(rig.start() == [])
        rig.setPaused("c", false)
        #expect(rig.start() == ["e"])
    }

    @Test func `Work without tasks ends when the last one is moved, and a cancelled task moves nowhere`() {
        let rig = TableRig()
        rig.add("a")
        #expect(rig.start() == ["a"])
        rig.move("a", to: "b")
        #expect(rig.orders() == ["stop a"])
        rig.cancel("a")
        rig.move("a", to: "c")
        rig.finish("a", .failed)
        #expect(rig.start() == [] && rig.table.jobCount == 0 && rig.table.taskCount == 0)
    }

    @Test func `A refused transfer without tasks fails at once`() {
        let rig = nearlyDone()
        rig.cancel("a")
        let (ended, isKept) = rig.finishing("a", .moves(.decode))
        #expect(ended.isEmpty && !isKept)
        #expect(rig.table.jobCount == 0)
    }

    @Test func `The tasks of a refused transfer, and those that join, fail after its decode`() {
        let rig = TableRig { $0.transferring = 1 }
        rig.add("a")
        rig.add("other")
        #expect(rig.start() == ["a"])
        #expect(rig.finish("a", .moves(.decode)) == [])
        // The transfer has given its slot back.
        #expect(Set(rig.start()) == ["a", "other"])
        rig.add("b", key: "a")
        #expect(rig.finish("a", .failed) == ["a", "b"])
        rig.cancel("other")
        #expect(rig.orders() == ["stop other"])
    }

    @Test func `A transfer with far to go is stopped at once`() {
        let rig = TableRig()
        rig.add("a")
        _ = rig.start()
        rig.cancel("a")
        #expect(rig.orders() == ["stop a"])
    }

    @Test func `A paused task starts nothing until it goes on`() {
        let rig = TableRig()
        rig.add("a", isPaused: true)
        rig.add("b")
        #expect(rig.start() == ["b"])
        rig.setPaused("a", false)
        #expect(rig.start() == ["a"])
    }

    @Test func `Pausing the only task pauses its transfer, and letting it go on resumes it`() {
        let rig = TableRig()
        rig.add("a")
        rig.add("a2", key: "a")
        #expect(rig.start() == ["a"])
        rig.setPaused("a", true)
        #expect(rig.orders().isEmpty)
        rig.setPaused("a2", true)
        #expect(rig.orders() == ["pause a"])
        #expect(rig.start().isEmpty)
        rig.setPaused("a2", false)
        _ = rig.orders()
        #expect(rig.start() == ["+a"])
        rig.finish("a")
        #expect(rig.start() == ["a/0"])
        #expect(rig.finish("a/0") == ["a", "a2"])
    }

    @Test func `A paused task does not raise what others wait for`() {
        let rig = TableRig { $0.transferring = 1 }
        rig.add("blocker", level: 4)
        #expect(rig.start() == ["blocker"])
        rig.add("a", level: 4, isPaused: true)
        rig.add("a2", key: "a", level: 1)
        rig.add("b", level: 2)
        rig.finish("blocker", .failed)
        #expect(rig.start() == ["b"])
    }

    @Test func `Starts that are cancelled are slowed down`() {
        let rig = TableRig { $0.rate = TransferRate(perSecond: 100, burst: 3) }
        for name in ["a", "b", "c"] {
            rig.add(name)
            #expect(rig.start() == [name])
            rig.cancel(name)
            rig.finish(name, .failed)
        }
        rig.add("d")
        rig.add("closure", level: 0, host: nil)
        #expect(rig.start() == ["closure"])
        #expect(rig.table.deadline.map { ($0 + 500_000) / 1_000_000 } == 10)
        rig.wait(milliseconds: 11)
        #expect(rig.start() == ["d"])
    }

    @Test func `Starts that are paused are slowed down as those that are cancelled, and pay once`() {
        let rig = TableRig { $0.rate = TransferRate(perSecond: 100, burst: 3) }
        for name in ["a", "b", "c"] {
            rig.add(name, steps: [])
            #expect(rig.start() == [name])
            rig.setPaused(name, true)
        }
        rig.add("d", steps: [])
        #expect(rig.start().isEmpty)
        rig.wait(milliseconds: 11)
        #expect(rig.start() == ["d"])
        // A transfer that is finally cancelled has already paid, and a resumed one needs no token.
        rig.cancel("a")
        rig.finish("a", .failed)
        rig.setPaused("b", false)
        #expect(rig.start() == ["+b"])
        rig.add("e", steps: [])
        #expect(rig.start() == ["e"])
        rig.setPaused("b", true)
        rig.setPaused("b", false)
        #expect(rig.start() == ["+b"])
        rig.add("f", steps: [])
        #expect(rig.start() == ["f"], "a second pause costs nothing")
    }

    @Test func `What was paused and runs to its end gives its start back`() {
        let rig = TableRig { $0.rate = TransferRate(perSecond: 0.001, burst: 1) }
        rig.add("a", steps: [])
        #expect(rig.start() == ["a"])
        rig.setPaused("a", true)
        rig.setPaused("a", false)
        rig.add("b", steps: [])
        #expect(rig.start() == ["+a"])
        rig.finish("a")
        #expect(rig.start() == ["b"])
    }

    @Test func `After a fling that paused hundreds, the visible request starts at once`() {
        let rig = TableRig { $0.rate = TransferRate() }
        var paused: [Int] = []
        for cell in 0..<500 {
            rig.add("\(cell)", level: 2, steps: [])
            _ = rig.start()
            rig.wait(milliseconds: 6)
            rig.setLevel("\(cell)", 0)
            rig.setPaused("\(cell)", true)
            paused.append(cell)
            if paused.count > 128 {
                let oldest = "\(paused.removeFirst())"
                rig.cancel(oldest)
                rig.finish(oldest, .failed)
            }
        }
        rig.add("stopped at", level: 2, steps: [])
        // A token is added every 12.5 ms.
        rig.wait(milliseconds: 26)
        #expect(rig.start() == ["stopped at"])
    }

    @Test func `Starts that run to their end are not slowed down`() {
        let rig = TableRig { $0.rate = TransferRate(perSecond: 1, burst: 2) }
        for index in 0..<50 {
            rig.add("\(index)", steps: [])
            #expect(rig.start() == ["\(index)"])
            #expect(rig.finish("\(index)", index % 2 == 0 ? .finished : .failed) == ["\(index)"])
        }
    }

    @Test func `Suspended, nothing starts, and what runs goes on`() {
        let rig = TableRig()
        rig.add("a", steps: [])
        #expect(rig.start() == ["a"])
        var limits = rig.table.limits
        limits.isSuspended = true
        rig.table.setLimits(limits)
        rig.add("b", level: 4)
        #expect(rig.start().isEmpty && rig.orders().isEmpty)
        #expect(rig.finish("a") == ["a"])
        limits.isSuspended = false
        limits.suspended = StageSet(.decode)
        rig.table.setLimits(limits)
        #expect(rig.start() == ["b"])
        rig.finish("b")
        #expect(rig.start().isEmpty)
        limits.suspended = []
        rig.table.setLimits(limits)
        #expect(rig.start() == ["b/0"])
    }
}
