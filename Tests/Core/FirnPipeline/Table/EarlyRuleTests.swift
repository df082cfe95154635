import Testing

@testable import FirnPipeline

/// Tests decoding while bytes arrive.
@Suite struct EarlyRuleTests {
    private func rig(_ change: (inout StageLimits) -> Void = { _ in }) -> TableRig {
        TableRig {
            $0.minimumEarlyBytes = 100
            change(&$0)
        }
    }

    @Test func `A decode begins with the first bytes, and goes on with more`() {
        let rig = rig()
        rig.add("t")
        #expect(rig.start() == ["t"])
        rig.arrive("t", 10, of: 1000)
        #expect(rig.start() == ["t/0"])
        #expect(rig.audience("t/0") == ["t"])
        #expect(rig.finish("t/0", .starved).isEmpty)
        #expect(rig.start().isEmpty)
        rig.arrive("t", 20, of: 1000)
        #expect(rig.start() == ["t/0"])
        rig.arrive("t", 30, of: 1000)
        rig.finish("t/0", .starved)
        #expect(rig.start() == ["t/0"], "bytes came while it ran")
        rig.finish("t/0", .starved)
        #expect(rig.finish("t").isEmpty)
        #expect(rig.start() == ["t/0"], "its last slice")
        #expect(rig.finish("t/0") == ["t"])
        #expect(rig.table.jobCount == 0)
    }

    @Test func `A decode begins with bytes that another transfer left, before the source responds`() {
        let rig = rig()
        rig.add("t")
        #expect(rig.start() == ["t"])
        rig.begin("t", with: 500, of: 1000)
        #expect(rig.start() == ["t/0"])
        rig.finish("t/0", .starved)
        // Fewer bytes than before: the body started over.
        rig.arrive("t", 10, of: 1000)
        #expect(rig.start() == ["t/0"])
    }

    @Test func `No early decode starts if few bytes are missing`() {
        let rig = rig()
        rig.add("t")
        _ = rig.start()
        rig.arrive("t", 910, of: 1000)
        #expect(rig.start().isEmpty)
        rig.arrive("t", 99, of: nil)
        #expect(rig.start().isEmpty)
        rig.arrive("t", 100, of: nil)
        #expect(rig.start() == ["t/0"])
    }

    @Test func `One that finishes early takes its tasks along and stops the transfer`() {
        let rig = rig()
        rig.add("t", steps: [0, 1])
        _ = rig.start()
        rig.arrive("t", 10, of: 1000)
        #expect(rig.start() == ["t/0"])
        #expect(rig.finish("t/0").isEmpty)
        #expect(rig.orders() == ["stop t"])
        #expect(rig.start() == ["t/0/1"])
        #expect(rig.finish("t", .failed).isEmpty)
        #expect(rig.finish("t/0/1") == ["t"])
        #expect(rig.table.jobCount == 0)
    }

    @Test func `Others' tasks stay with the transfer`() {
        let rig = rig()
        rig.add("small", key: "t", steps: [0])
        rig.add("large", key: "t", steps: [3])
        #expect(rig.start() == ["t"])
        rig.arrive("t", 10, of: 1000)
        #expect(rig.start() == ["t/0", "t/3"])
        #expect(rig.finish("t/0") == ["small"])
        #expect(rig.orders().isEmpty)
        #expect(rig.finish("t/3", .failed).isEmpty)
        _ = rig.orders()
        rig.arrive("t", 20, of: 1000)
        #expect(rig.start().isEmpty, "what failed early is not tried again")
        rig.finish("t")
        #expect(rig.start() == ["t/3"])
        #expect(rig.finish("t/3") == ["large"])
    }

    @Test func `Sessions are bounded, and the more urgent gets one`() {
        let rig = rig { $0.sessions = 1 }
        for (name, level) in [("low", 2), ("equal", 2), ("high", 4)] { rig.add(name, level: level) }
        #expect(rig.start() == ["high", "low", "equal"])
        rig.arrive("low", 10, of: 1000)
        #expect(rig.start() == ["low/0"])
        rig.finish("low/0", .starved)
        rig.arrive("equal", 10, of: 1000)
        #expect(rig.start().isEmpty)
        rig.arrive("high", 10, of: 1000)
        #expect(rig.orders() == ["stop low/0"])
        #expect(rig.start() == ["high/0"])
        rig.finish("high/0")
        rig.arrive("low", 20, of: 1000)
        #expect(rig.start() == ["low/0"], "it begins anew")
    }

    @Test func `The last task that leaves ends the decode`() {
        let rig = rig()
        rig.add("a", key: "t", steps: [0])
        rig.add("b", key: "t", steps: [3])
        _ = rig.start()
        rig.arrive("t", 10, of: 1000)
        #expect(rig.start() == ["t/0", "t/3"])
        rig.cancel("a")
        #expect(rig.orders() == ["stop t/0"])
        rig.finish("t/0", .failed)
        #expect(rig.table.sessions.count == 1)
    }

    @Test func `A decode that waits for bytes gives its memory to one as urgent that has them`() {
        let rig = rig()
        rig.add("t")
        _ = rig.start()
        rig.arrive("t", 10, of: 1000)
        _ = rig.start()
        #expect(rig.reserve(80, for: "t/0"))
        rig.finish("t/0", .starved)
        rig.add("file", host: nil, stage: .read)
        #expect(rig.start() == ["file"])
        rig.finish("file")
        #expect(rig.start() == ["file/0"])
        #expect(!rig.reserve(50, for: "file/0"))
        #expect(rig.orders() == ["stop t/0"])
        #expect(rig.start() == ["file/0"])
        #expect(rig.finish("file/0") == ["file"])
        rig.finish("t")
        #expect(rig.start() == ["t/0"])
    }
}
