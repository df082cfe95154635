import Testing

@testable import FirnPipeline

/// Tests failed transfers that wait to be sent again.
@Suite struct WaitingRuleTests {
    @Test func `A transfer that waits holds no slot, and goes on by itself`() {
        let rig = TableRig { $0.transferring = 1 }
        rig.add("a", steps: [])
        rig.add("b", steps: [])
        #expect(rig.start() == ["a"])
        rig.fail("a", waiting: 500)
        #expect(rig.orders().isEmpty)
        #expect(rig.start() == ["b"])
        rig.finish("b")
        rig.wait(milliseconds: 499)
        #expect(rig.start().isEmpty)
        #expect(rig.table.deadline == 500 * TableRig.millisecond)
        rig.wait(milliseconds: 1)
        #expect(rig.start() == ["+a"])
        #expect(rig.finish("a") == ["a"])
    }

    @Test func `Its host's share is free, too, and when its time comes it waits for a slot like others`() {
        let rig = TableRig { $0.transferringPerHost = 1 }
        rig.add("a", steps: [])
        rig.add("b", steps: [])
        #expect(rig.start() == ["a"])
        rig.fail("a", waiting: 500)
        #expect(rig.start() == ["b"])
        rig.wait(milliseconds: 1000)
        #expect(rig.start().isEmpty)
        rig.finish("b")
        #expect(rig.start() == ["+a"])
    }

    @Test func `A raised priority does not shorten the delay`() {
        let rig = TableRig()
        rig.add("a", level: 1, steps: [])
        _ = rig.start()
        rig.fail("a", waiting: 500)
        rig.setLevel("a", 4)
        #expect(rig.start().isEmpty)
        #expect(rig.orders() == ["a to 4"])
        rig.setPaused("a", true)
        rig.wait(milliseconds: 600)
        #expect(rig.start().isEmpty)
        rig.setPaused("a", false)
        #expect(rig.start() == ["+a"])
    }

    @Test func `One that is paused when it fails waits all the same`() {
        let rig = TableRig { $0.transferring = 1 }
        rig.add("a", level: 2, steps: [])
        #expect(rig.start() == ["a"])
        rig.add("top", level: 4, steps: [])
        #expect(rig.start() == ["top"])
        rig.fail("a", waiting: 500)
        rig.finish("top")
        #expect(rig.start().isEmpty)
        rig.wait(milliseconds: 500)
        #expect(rig.start() == ["+a"])
    }

    @Test func `Cancelling the last task of a waiting transfer stops it`() {
        let rig = TableRig()
        rig.add("a", steps: [])
        _ = rig.start()
        rig.fail("a", waiting: 500)
        rig.cancel("a")
        #expect(rig.orders() == ["stop a"])
        rig.finish("a", .failed)
        #expect(rig.table.jobCount == 0)
        rig.add("b", steps: [])
        #expect(rig.start() == ["b"])
    }
}
