import Testing

@testable import FirnPipeline

/// Tests how hosts share transfers: their turns, their places, and the bytes that bodies hold.
@Suite struct HostRuleTests {
    private func rig(_ change: @escaping (inout StageLimits) -> Void = { _ in }) -> TableRig {
        TableRig {
            $0.sharesByHost = true
            $0.pausesTransfers = false
            change(&$0)
        }
    }

    /// Runs all transfers, one after the other; returns their names in the order of their starts.
    private func order(_ rig: TableRig, bytes: (String) -> Int) -> [String] {
        var order: [String] = []
        while let name = rig.start(1).first {
            order.append(name)
            rig.arrive(name, bytes(name), of: bytes(name))
            rig.finish(name)
        }
        return order
    }

    @Test func `The hosts of a level take turns, however many transfers one has queued`() {
        let rig = rig { $0.transferring = 1 }
        for name in ["a1", "a2", "a3"] { rig.add(name, host: 1, steps: []) }
        for name in ["b1", "b2", "b3"] { rig.add(name, host: 2, steps: []) }
        for name in ["c1", "c2", "c3"] { rig.add(name, host: 3, steps: []) }
        let order = order(rig) { _ in 200_000 }
        #expect(order == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"])
    }

    @Test func `A host of short bodies starts more of them in its turn than a host of long ones`() throws {
        let rig = rig { $0.transferring = 1 }
        for index in 1...3 { rig.add("a\(index)", host: 1, steps: []) }
        for index in 1...12 { rig.add("b\(index)", host: 2, steps: []) }
        let order = order(rig) { $0.hasPrefix("a") ? 256 << 10 : 32 << 10 }
        #expect(order.count == 15 && order.first == "a1")
        #expect(try #require(order.firstIndex(of: "a2")) > 4)
        #expect(try #require(order.firstIndex(of: "a3")) > 8)
        #expect(order.filter { $0.hasPrefix("b") } == (1...12).map { "b\($0)" })
    }

    @Test func `Priority is before the turn of a host`() {
        let rig = rig { $0.transferring = 1 }
        for name in ["a1", "a2"] { rig.add(name, level: 2, host: 1, steps: []) }
        rig.add("b1", level: 2, host: 2, steps: [])
        for name in ["a3", "a4"] { rig.add(name, level: 4, host: 1, steps: []) }
        #expect(order(rig) { _ in 200_000 } == ["a3", "a4", "b1", "a1", "a2"])
    }

    @Test func `The next transfer of a host takes its turn when the first is cancelled or changes its level`() {
        let rig = rig { $0.transferring = 1 }
        for name in ["a1", "a2", "a3"] { rig.add(name, host: 1, steps: []) }
        rig.add("b1", host: 2, steps: [])
        rig.cancel("a1")
        rig.setLevel("a2", 1)
        #expect(rig.table.problems() == [])
        #expect(order(rig) { _ in 200_000 } == ["a3", "b1", "a2"])
        #expect(rig.table.problems() == [])
    }

    @Test func `A host that does not respond takes its own places, and the others start at once`() {
        let rig = rig {
            $0.transferring = 100
            $0.transferringPerHost = 4
        }
        for index in 0..<50 { rig.add("dead\(index)", host: 1, steps: []) }
        for host in 2...10 { rig.add("good\(host)", host: host, steps: []) }
        let started = rig.start()
        #expect(started.count { $0.hasPrefix("dead") } == 4)
        #expect(Set(started.filter { $0.hasPrefix("good") }) == Set((2...10).map { "good\($0)" }))
        #expect(rig.table.tasksComputing() == 0)
        #expect(rig.table.problems() == [])
    }

    @Test func `Time-outs halve the places of a host down to one, and responses double them`() {
        let rig = rig { $0.transferringPerHost = 4 }
        for index in 0..<12 { rig.add("a\(index)", steps: []) }
        #expect(rig.start() == ["a0", "a1", "a2", "a3"])
        // Four places, then two, then one: three transfers still run.
        for name in ["a0", "a1", "a2"] {
            rig.fail(name, hasTimedOut: true)
            #expect(rig.start() == [])
        }
        rig.fail("a3", hasTimedOut: true)
        #expect(rig.start() == ["a4"])
        rig.respond("a4")
        #expect(rig.start() == ["a5"])
        // A refusal is a response.
        rig.fail("a5", hasTimedOut: false)
        #expect(rig.start() == ["a6", "a7", "a8"])
        #expect(rig.table.problems() == [])
    }

    @Test func `A time-out after the first byte takes no place`() {
        let rig = rig { $0.transferringPerHost = 2 }
        for index in 0..<4 { rig.add("a\(index)", steps: []) }
        #expect(rig.start() == ["a0", "a1"])
        rig.respond("a0")
        rig.fail("a0", hasTimedOut: true)
        #expect(rig.start() == ["a2"])
    }

    @Test func `Without shared transfers, time-outs change nothing and the oldest starts first`() {
        let rig = TableRig { $0.transferring = 2 }
        for name in ["a1", "a2", "a3"] { rig.add(name, host: 1, steps: []) }
        rig.add("b1", host: 2, steps: [])
        #expect(rig.start() == ["a1", "a2"])
        rig.fail("a1", hasTimedOut: true)
        rig.fail("a2", hasTimedOut: true)
        #expect(rig.start() == ["a3", "b1"])
    }

    @Test func `Reads of a file system that stops responding block no others`() {
        let rig = rig {
            $0.reading = 4
            $0.readingPerHost = 2
        }
        for name in ["a1", "a2", "a3", "a4"] { rig.add(name, steps: [], stage: .read, fileSystem: 1) }
        for name in ["b1", "b2"] { rig.add(name, steps: [], stage: .read, fileSystem: 2) }
        let started = rig.start()
        #expect(Set(started) == ["a1", "a2", "b1", "b2"])
        #expect(rig.table.tasksComputing() == 0)
        rig.finish("b1")
        #expect(rig.start() == [])
        rig.finish("a1")
        #expect(rig.start() == ["a3"])
        #expect(rig.table.problems() == [])
    }

    @Test func `Tasks whose transfers wait for a core count as computing, those of a full host do not`() {
        let rig = rig {
            ($0.backlog, $0.transferringPerHost, $0.computing) = (1, 1, 0)
        }
        for (name, host) in [("a", 1), ("b", 2)] { rig.add(name, host: host) }
        #expect(rig.start() == ["a", "b"])
        #expect(rig.table.tasksComputing() == 0)
        rig.finish("a")
        for (name, host) in [("b2", 2), ("b3", 2), ("c", 3)] { rig.add(name, host: host) }
        #expect(rig.start() == [])
        #expect(rig.table.tasksComputing() == 2, "the decode of a, and c")
    }

    @Test func `Transfers of the host with the largest bodies stall while bodies hold too many bytes`() {
        let rig = rig { $0.heldBytes = 100_000 }
        for (name, host) in [("a", 1), ("b", 2)] { rig.add(name, host: host, steps: []) }
        #expect(rig.start() == ["a", "b"])
        rig.arrive("a", 10_000, of: 60_000)
        rig.arrive("b", 10_000, of: 60_000)
        #expect(rig.orders() == ["stall b"], "of equals, the one that was started last")
        rig.add("c", host: 3, steps: [])
        #expect(rig.start() == ["c"])
        rig.arrive("c", 5000, of: 20_000)
        #expect(rig.orders() == [], "it fits")
        rig.add("d", level: 4, host: 4, steps: [])
        #expect(rig.start() == ["d"])
        rig.arrive("d", 1000, of: 200_000)
        #expect(rig.orders() == ["stall a", "stall c"], "one that alone exceeds the limit goes on")
        #expect(rig.table.problems() == [])
        rig.finish("d")
        #expect(rig.orders() == ["proceed c", "proceed a"])
        rig.finish("a")
        #expect(rig.orders() == ["proceed b"])
        #expect(rig.table.problems() == [])
    }

    @Test func `A body holds its bytes until its decode ends`() {
        let rig = rig { $0.heldBytes = 100_000 }
        for (name, host) in [("a", 1), ("b", 2), ("c", 3)] { rig.add(name, host: host) }
        #expect(rig.start() == ["a", "b", "c"])
        rig.arrive("a", 60_000, of: 60_000)
        rig.finish("a")
        #expect(rig.start() == ["a/0"])
        rig.arrive("b", 1000, of: 60_000)
        #expect(rig.orders() == [], "the only one that reads")
        rig.arrive("c", 1000, of: 30_000)
        #expect(rig.orders() == ["stall b"])
        rig.finish("a/0")
        #expect(rig.orders() == ["proceed b"])
    }
}
