import FirnTesting
import Testing

@testable import FirnPipeline

/// Tests which job is next, and how long a job can be passed over.
@Suite struct OrderRuleTests {
    @Test(arguments: [JobOrder.firstInFirstOut, .lastInFirstOut])
    func `Equals come in the order that is set`(order: JobOrder) {
        let rig = TableRig {
            $0.order = order
            $0.transferring = 1
        }
        rig.add("blocker", level: 4, steps: [])
        #expect(rig.start() == ["blocker"])
        for name in ["a", "b", "c"] { rig.add(name, steps: []) }
        rig.add("closure", host: nil, steps: [])
        var names: [String] = []
        var running = "blocker"
        for _ in 0..<4 {
            rig.finish(running)
            running = rig.start().first ?? ""
            names.append(running)
        }
        #expect(names == (order == .firstInFirstOut ? ["a", "b", "c", "closure"] : ["closure", "c", "b", "a"]))
    }

    @Test(arguments: 0..<200) func `The most urgent runnable job is next, whatever came first`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let levels = (0..<20).map { _ in Int.random(in: 0..<5, using: &random) }
        let rig = TableRig { $0.reading = 100 }
        for (number, level) in levels.enumerated() {
            rig.add("\(number)", level: level, steps: [], stage: .read)
        }
        #expect(rig.start().compactMap { Int($0) }.map { levels[$0] } == levels.sorted(by: >))
    }

    @Test(arguments: [JobStage.read, .transfer]) func `After 64 starts that pass it, the oldest is next`(
        stage: JobStage
    ) {
        let rig = TableRig {
            $0.transferring = 1
            $0.reading = 1
        }
        rig.add("first", level: 4, steps: [], stage: stage)
        _ = rig.start()
        rig.add("old", level: 0, steps: [], stage: stage)
        var running = "first"
        var passed = 0
        while passed < 100 {
            rig.add("new\(passed)", level: 4, steps: [], stage: stage)
            rig.finish(running)
            running = rig.start().first ?? ""
            if running == "old" { break }
            passed += 1
        }
        #expect(passed == 63)
        rig.add("next", level: 4, steps: [], stage: stage)
        #expect(rig.orders().isEmpty, "what was started out of order is not paused")
        #expect(rig.start().isEmpty)
    }

    @Test func `A copy of the table is a table of its own`() {
        let rig = TableRig()
        for index in 0..<1000 { rig.add("\(index)", level: index % 5) }
        let copy = TableRig(copying: rig)
        let started = rig.start(3)
        #expect(copy.start(3) == started)
        rig.cancel("4")
        #expect(copy.table.taskCount == 1000 && rig.table.taskCount == 999)
        let problems = copy.table.problems() + rig.table.problems()
        #expect(problems.isEmpty)
    }

    @Test func `Memory for many is given back when none is left, and old tickets stay harmless`() {
        let rig = TableRig()
        for index in 0..<10_000 { rig.add("\(index)") }
        let problems = rig.table.problems()
        #expect(problems.isEmpty)
        for index in 0..<10_000 { rig.cancel("\(index)") }
        #expect(rig.table.jobs.count == 0 && rig.table.tasks.count == 0)
        rig.add("new")
        rig.cancel("0")
        #expect(rig.table.taskCount == 1)
        #expect(rig.start() == ["new"])
    }

    @Test func `Big decodes are not passed forever by small ones`() {
        let rig = TableRig()
        for name in ["hold", "big"] { rig.add(name, stage: .read) }
        #expect(rig.start() == ["hold", "big"])
        rig.finish("hold")
        rig.finish("big")
        #expect(rig.start() == ["hold/0", "big/0"])
        #expect(rig.reserve(60, for: "hold/0"))
        #expect(!rig.reserve(90, for: "big/0"))
        var granted = 0
        for index in 0..<20 {
            rig.add("\(index)", stage: .read)
            _ = rig.start()
            rig.finish("\(index)")
            _ = rig.start()
            guard rig.reserve(10, for: "\(index)/0") else { break }
            granted += 1
            rig.finish("\(index)/0")
        }
        #expect(granted == DecodingMemory.passesByEquals)
        rig.finish("hold/0")
        #expect(rig.start().first == "big/0")
    }
}
