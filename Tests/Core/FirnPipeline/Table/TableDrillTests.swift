import FirnTesting
import Testing

@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) struct TableDrillTests {
    /// Prints a failing seed; `TableDrill(seed:)` replays it.
    @Test(arguments: 0..<300) func `No sequence of events breaks an invariant of the table`(seed: Int) {
        var drill = TableDrill(seed: UInt64(seed))
        if let problem = drill.run(steps: 400) { Issue.record("seed \(seed), \(problem)") }
    }

    @Test func `The drill reaches pauses, kept bodies, early decodes, releases and stalls`() {
        var (pauses, keeps, earlies, releases, stalls) = (0, 0, 0, 0, 0)
        for seed in 1000..<1040 {
            var drill = TableDrill(seed: UInt64(seed))
            for _ in 0..<400 { drill.step() }
            pauses += drill.pauses
            keeps += drill.keeps
            earlies += drill.earlies
            releases += drill.releases
            stalls += drill.stalls
        }
        let counts = (pauses, keeps, earlies, releases, stalls)
        #expect(pauses > 20 && keeps > 0 && earlies > 50 && releases > 5 && stalls > 5, "\(counts)")
    }
}
