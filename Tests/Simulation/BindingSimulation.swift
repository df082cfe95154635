import FirnTesting
import Testing

@testable import FirnBinding
@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) struct BindingSimulation {
    /// Runs a thousand seeds and passes each world to `count`. Records the first problem, and returns `false` then.
    private func runThousand<World: SeededWorld>(
        _ world: (UInt64) -> World, steps: Int, count: (World) -> Void
    ) -> Bool {
        for seed in 0..<1_000 {
            var world = world(UInt64(seed))
            if let problem = world.run(steps: steps) {
                Issue.record("seed \(seed), \(problem)")
                return false
            }
            count(world)
        }
        return true
    }

    /// Prints a failing seed; `BindingWorld(seed:)` replays it.
    @Test func `A thousand seeds of binding, scrolling and late results show no wrong image and no flicker (F6)`() {
        var images = 0
        guard runThousand(BindingWorld.init(seed:), steps: 300, count: { images += $0.images }) else { return }
        // Enough images were shown to detect a wrong one.
        #expect(images > 10_000)
    }

    /// Prints a failing seed; `BindingList(seed:)` replays it.
    @Test
    func
        `A thousand seeds of a scrolled list lose no request, start none twice, and end with every image in its cell`()
    {
        var (images, takenOver) = (0, 0)
        let isRight = runThousand(BindingList.init(seed:), steps: 200) { list in
            images += list.images
            takenOver += list.takenOver
        }
        guard isRight else { return }
        #expect(images > 50_000)
        #expect(takenOver > 10_000)
    }
}
