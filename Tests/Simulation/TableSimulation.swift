import FirnTesting
import Testing

@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) struct TableSimulation {
    /// Prints a failing seed; `TableWorld(seed:)` replays it.
    @Test(arguments: 0..<400) func `No event sequence breaks the table`(seed: Int) {
        var world = TableWorld(seed: UInt64(seed))
        if let problem = world.run(steps: 600) { Issue.record("seed \(seed), \(problem)") }
    }

    @Test func `The most urgent runnable job is next, whatever came first`() {
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed))
            var table = TableWorld.Table(
                limits: StageLimits(
                    computing: 100, reading: 100, transferring: 100, storing: 100, backlog: 100, storeBacklog: 100,
                    decodingBytes: 0))
            var levels: [Int] = []
            for key in 0..<20 {
                let level = Int.random(in: 0..<5, using: &random)
                levels.append(level)
                _ = table.add(
                    key, key: key, steps: [0], level: level, now: 0,
                    makeRoot: { TableWorld.Table.Root(work: TableWorld.Work("\(level)"), stage: .read) },
                    makeChild: { _, _ in (TableWorld.Work(""), .decode) })
            }
            var order: [Int] = []
            while let next = table.next(now: 0) { order.append(Int(next.work.name) ?? -1) }
            #expect(order == levels.sorted(by: >), "seed \(seed)")
        }
    }
}
