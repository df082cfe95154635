import Testing

@testable import FirnPipeline

/// Tests which transfer gets a slot, and which one yields.
@Suite struct TransferRuleTests {
    @Test func `Prefetching leaves slots free for what is visible (F21)`() {
        let rig = TableRig()
        for index in 0..<8 { rig.add("low\(index)", level: 1) }
        #expect(rig.start() == ["low0", "low1", "low2", "low3"])
        rig.add("shown", level: 4, host: nil)
        #expect(rig.start() == ["shown"])
    }

    @Test func `A host gets no more than its share, and others do not wait for it`() {
        let rig = TableRig { $0.transferringPerHost = 2 }
        for name in ["a1", "a2", "a3", "a4"] { rig.add(name, host: 1) }
        for name in ["b1", "b2"] { rig.add(name, host: 2) }
        #expect(rig.start() == ["a1", "a2", "b1", "b2"])
        rig.finish("a2")
        #expect(rig.start().filter { !$0.contains("/") } == ["a3"])
    }

    @Test func `What waits for its host keeps its place and its priority`() {
        let rig = TableRig {
            $0.transferringPerHost = 1
            $0.transferring = 2
        }
        for name in ["a1", "a2", "a3"] { rig.add(name, steps: []) }
        #expect(rig.start() == ["a1"])
        rig.add("b1", host: 2, steps: [])
        #expect(rig.start() == ["b1"])
        rig.setLevel("a3", 3)
        rig.setLevel("a1", 4)
        rig.finish("a1")
        #expect(rig.start() == ["a3"])
        rig.finish("a3")
        #expect(rig.start() == ["a2"])
    }

    @Test func `Prefetching is paused while something visible loads, and goes on after it`() {
        let rig = TableRig()
        for name in ["p1", "p2"] { rig.add(name, level: 1, steps: []) }
        #expect(rig.start() == ["p1", "p2"])
        rig.add("shown", level: 2, steps: [])
        #expect(rig.orders() == ["pause p1", "pause p2"])
        #expect(rig.start() == ["shown"])
        rig.finish("shown")
        rig.add("p0", level: 1, steps: [])
        #expect(rig.start() == ["+p1", "+p2", "p0"])
        #expect(rig.orders().isEmpty)
    }

    @Test func `A transfer is not started if it would be paused at once for an urgent one`() {
        let rig = TableRig {
            $0.transferring = 2
            $0.reservedTransfers = 0
            $0.backlog = 1
        }
        rig.add("paused", level: 1, steps: [])
        #expect(rig.start() == ["paused"])
        rig.setPaused("paused", true)
        for name in ["first", "second"] { rig.add(name, level: 0) }
        #expect(rig.start() == ["first", "second"])
        rig.arrive("second", 100_000, of: 1_000_000)
        #expect(rig.start() == ["second/0"])
        #expect(rig.reserve(80, for: "second/0"))
        rig.finish("second/0", .starved)
        rig.arrive("first", 100_000, of: 1_000_000)
        #expect(rig.start() == ["first/0"])
        #expect(!rig.reserve(60, for: "first/0"), "as long as the other early decode holds its memory")
        rig.add("urgent", steps: [])
        #expect(rig.start() == [], "a decode that waits for memory fills the backlog")
        _ = rig.orders()
        // It replaces "second", whose memory goes to the decode of "first", so the backlog has room.
        rig.setPaused("paused", false)
        #expect(Set(rig.start()) == ["urgent", "first/0"])
        #expect(!rig.orders().contains("pause paused"))
        rig.finish("urgent")
        #expect(rig.start().first == "+paused")
    }

    @Test func `What needs no network shares no line`() {
        let rig = TableRig()
        rig.add("low", level: 1)
        #expect(rig.start() == ["low"])
        rig.add("closure", level: 4, host: nil)
        #expect(rig.start() == ["closure"])
        rig.add("closure2", level: 0, host: nil)
        #expect(rig.start() == ["closure2"])
        #expect(rig.orders().isEmpty)
    }

    @Test func `A transfer without a slot pauses the lowest, of equals the latest`() {
        let rig = TableRig { $0.transferring = 3 }
        rig.add("n1", level: 2, steps: [])
        rig.add("h", level: 3, steps: [])
        rig.add("n2", level: 2, steps: [])
        #expect(rig.start() == ["h", "n1", "n2"])
        rig.add("top", level: 4, steps: [])
        rig.add("later", level: 2, steps: [])
        #expect(rig.start() == ["top"])
        #expect(rig.orders() == ["pause n2"])
        rig.add("high", level: 3, steps: [])
        #expect(rig.start() == ["high"])
        #expect(rig.orders() == ["pause n1"])
        rig.finish("top")
        #expect(rig.start() == ["+n1"], "the one that came first goes on first")
        rig.finish("h")
        #expect(rig.start() == ["+n2"])
        rig.finish("n1")
        #expect(rig.start() == ["later"])
    }

    @Test func `No transfer is paused for an equally urgent one`() {
        let rig = TableRig { $0.transferring = 1 }
        rig.add("a", level: 3)
        #expect(rig.start() == ["a"])
        rig.add("b", level: 3)
        #expect(rig.start().isEmpty && rig.orders().isEmpty)
    }

    /// Returns a rig of one slot. It has a transfer of 100 bytes, whose host took 100 ms to respond and 100 ms for the
    /// first bytes, and a more urgent one that waits for the slot.
    ///
    /// - Parameter quiet: the milliseconds since the only report of bytes; `nil` if all are reported.
    private func contested(received bytes: Int, quiet: Int? = nil) -> TableRig {
        let rig = TableRig { $0.transferring = 1 }
        rig.add("a", level: 2)
        #expect(rig.start() == ["a"])
        rig.wait(milliseconds: 100)
        rig.respond("a")
        rig.wait(milliseconds: 100)
        rig.arrive("a", bytes, of: 100, isQuiet: quiet != nil)
        rig.wait(milliseconds: quiet ?? 0)
        rig.add("b", level: 4)
        return rig
    }

    @Test func `A transfer that is nearly done is not paused`() {
        let rig = contested(received: 60)
        // The last 40 bytes at 60 bytes in 100 ms take 67 ms, and the host took 100 ms to respond.
        #expect(rig.start().isEmpty && rig.orders().isEmpty)
    }

    @Test func `A transfer that has far to go is paused, whatever it has done`() {
        let rig = contested(received: 40)
        #expect(rig.start() == ["b"])
        #expect(rig.orders() == ["pause a"])
    }

    @Test func `A transfer that reports its bytes once is expected to continue at its rate`() {
        // The last 60 bytes at 40 bytes in 100 ms take 150 ms.
        let early = contested(received: 40, quiet: 40)
        #expect(early.start() == ["b"])
        let late = contested(received: 40, quiet: 60)
        #expect(late.start().isEmpty && late.orders().isEmpty)
        // It should have ended by now.
        let silent = contested(received: 40, quiet: 200)
        #expect(silent.start() == ["b"])
    }

    @Test func `Bytes that another transfer left say nothing about the host or the pace`() {
        let rig = TableRig { $0.transferring = 1 }
        rig.add("a", level: 2)
        #expect(rig.start() == ["a"])
        rig.begin("a", with: 900, of: 1000)
        rig.wait(milliseconds: 100)
        rig.respond("a")
        rig.wait(milliseconds: 100)
        rig.arrive("a", 940, of: 1000)
        rig.add("b", level: 4)
        // The last 60 bytes at 40 bytes in 100 ms take 150 ms, and the host took 100 ms to respond.
        #expect(rig.start() == ["b"])
        #expect(rig.orders() == ["pause a"])
    }

    @Test func `A pause that lasts lets the connection go`() {
        let rig = TableRig()
        rig.add("low", level: 1)
        #expect(rig.start() == ["low"])
        rig.add("shown", level: 4)
        #expect(rig.start() == ["shown"])
        #expect(rig.orders() == ["pause low"])
        #expect(rig.table.deadline == 5000 * TableRig.millisecond)
        rig.wait(milliseconds: 4999)
        rig.table.tick(now: rig.now)
        #expect(rig.orders().isEmpty)
        rig.wait(milliseconds: 1)
        rig.table.tick(now: rig.now)
        #expect(rig.orders() == ["release low"])
        #expect(rig.table.deadline == nil)
    }

    @Test func `A change of priority reaches a running transfer`() {
        let rig = TableRig()
        rig.add("a", level: 2)
        #expect(rig.start() == ["a"])
        rig.setLevel("a", 4)
        #expect(rig.orders() == ["a to 4"])
    }

    @Test func `A task that joins a paused transfer raises its priority (F21)`() {
        let rig = TableRig { $0.transferring = 1 }
        rig.add("a", level: 1)
        #expect(rig.start() == ["a"])
        rig.add("b", level: 3)
        #expect(rig.start() == ["b"])
        #expect(rig.orders() == ["pause a"])
        rig.add("a2", key: "a", level: 4)
        #expect(rig.orders() == ["a to 4"])
        #expect(rig.start() == ["+a"])
        #expect(rig.orders() == ["pause b"])
    }
}
