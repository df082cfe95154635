import FirnTesting
import Testing

@testable import FirnBinding

@Suite(.timeLimit(.minutes(5))) struct ZoomSimulation {
    /// Prints a failing seed; `ZoomWorld(seed:)` replays it.
    @Test func `Three hundred seeds of zooming and panning stay in bounds and within the budget, and end sharp`() {
        var tiles = 0
        for seed in 0..<300 {
            var world = ZoomWorld(seed: UInt64(seed))
            if let problem = world.run(steps: 200) {
                Issue.record("seed \(seed), \(problem)")
                return
            }
            tiles += world.arrived
        }
        // Enough tiles were loaded to detect a wrong one.
        #expect(tiles > 3_000)
    }
}
