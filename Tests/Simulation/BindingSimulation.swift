import FirnTesting
import Testing

@testable import FirnBinding
@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) struct BindingSimulation {
    /// Prints a failing seed; `BindingWorld(seed:)` replays it.
    @Test func `A thousand seeds of binding, scrolling and late results show no wrong image and no flicker (F6)`() {
        var images = 0
        for seed in 0..<1_000 {
            var world = BindingWorld(seed: UInt64(seed))
            if let problem = world.run(steps: 300) {
                Issue.record("seed \(seed), \(problem)")
                return
            }
            images += world.images
        }
        // Enough images were shown to detect a wrong one.
        #expect(images > 10_000)
    }

    /// Prints a failing seed; `BindingList(seed:)` replays it.
    @Test
    func
        `A thousand seeds of a scrolled list lose no request, start none twice, and end with every image in its cell`()
    {
        var (images, takenOver) = (0, 0)
        for seed in 0..<1_000 {
            var list = BindingList(seed: UInt64(seed))
            if let problem = list.run(steps: 200) {
                Issue.record("seed \(seed), \(problem)")
                return
            }
            images += list.images
            takenOver += list.takenOver
        }
        #expect(images > 50_000)
        #expect(takenOver > 10_000)
    }
}
