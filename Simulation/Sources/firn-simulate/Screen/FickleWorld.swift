/// A user on a slow connection who scrolls back and forth: images are requested, cancelled during the transfer, and
/// requested again.
final class FickleWorld {
    let engine: SimulatedEngine
    private var random: SeededGenerator
    private var gone: [Int] = []
    private var next = 0
    private static let keys = 1200
    private static let window = 24

    init(seed: UInt64, keepsPartialBytes: Bool) {
        random = SeededGenerator(seed: seed ^ 0xf1c4_1e)
        engine = ScreenWorld.engine(seed: seed, keys: FickleWorld.keys)
        engine.circumstances.keepsPartialBytes = keepsPartialBytes
    }

    /// Cancels a random running request, `cancels` times in all, and requests each image again later.
    func run(cancels: Int) {
        var shown: [Int] = []
        engine.plan(.outside(0), in: 0)
        while engine.problem == nil, let event = engine.step() {
            if event == 0 {
                shown.removeAll { engine.clients[$0].ended != nil }
                while shown.count < FickleWorld.window, next < FickleWorld.keys {
                    shown.append(engine.add(key: next, plan: Plan([0]), level: 3))
                    next += 1
                }
                if engine.tally.cancels < cancels, !shown.isEmpty {
                    let number = shown.remove(at: random.below(shown.count))
                    let key = engine.clients[number].key
                    engine.cancel(number)
                    // Requests the image again after 0.1 to 4 s.
                    engine.plan(.outside(key + 1), in: Moment(100 + random.below(3900)) * 1_000_000)
                }
                if engine.tally.cancels < cancels || next < FickleWorld.keys {
                    engine.plan(.outside(0), in: Moment(random.below(200)) * 1_000_000)
                }
            } else if event > 0 {
                shown.append(engine.add(key: event - 1, plan: Plan([0]), level: 3))
            }
            engine.settle()
        }
        // No task resumes the remaining bytes.
        let before = engine.partial.wasted
        engine.partial.removeAll()
        engine.tally.wastedBytes += engine.partial.wasted - before
        if engine.problem == nil { engine.checkEmpty() }
    }
}
