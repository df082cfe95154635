import FirnSystem

/// A screen that opens during heavy prefetching.
struct ScreenWorld {
    let engine: SimulatedEngine
    let lanes: Int
    /// The seconds that each visible image took.
    private(set) var times: [Double] = []
    /// Bytes per second of prefetching once the screen is complete, or of the whole run if no screen opens.
    private(set) var speed = 0.0
    private static let opensAt: Moment = 5_000_000_000

    init(seed: UInt64, lanes: Int, receiveBuffer: Double = 0) {
        self.lanes = lanes
        engine = ScreenWorld.engine(seed: seed, keys: ScreenRun.visible + ScreenRun.prefetched)
        engine.circumstances.receiveBuffer = receiveBuffer
    }

    static func engine(seed: UInt64, keys: Int) -> SimulatedEngine {
        var lte = Circumstances()
        lte.chunk = 8 << 10
        lte.diskHits = 0
        lte.readFailures = 0
        lte.decodeFailures = 0
        lte.earlyFailures = 0
        lte.earlyFinishes = 0
        lte.processFailures = 0
        lte.giants = 0
        lte.decoding = Circumstances.Span(least: 2, most: 10)
        lte.asksMemory = 0
        lte.heldUp = 0
        let limits = StageLimits(
            computing: 2, reading: 2, transferring: 6, storing: 1, backlog: 8, storeBacklog: 64,
            decodingBytes: 72 << 20)
        let engine = SimulatedEngine(
            name: "screen \(seed)", seed: seed &* 7919 &+ 17, circumstances: lte, limits: limits, keys: keys)
        engine.thoroughness = 16
        for key in 0..<keys { engine.sizes[key] = size(&engine.random) }
        return engine
    }

    /// Returns the bytes of an image: 30 to 250 KB, most near 90.
    private static func size(_ random: inout SeededGenerator) -> Int {
        // Approximates a normal distribution by a sum of six; sigma 0.55 in the logarithm.
        var sum = 0.0
        for _ in 0..<6 { sum += random.fraction() }
        let bell = (sum - 3) / 0.707
        return min(250_000, max(30_000, Int(90_000 * pow(2.718281828, 0.55 * bell))))
    }

    mutating func run(prefetches: Bool, opens: Bool) {
        let engine = engine
        let lanes = lanes
        var nextKey = ScreenRun.visible
        let last = ScreenRun.visible + ScreenRun.prefetched
        var visibleLeft = opens ? ScreenRun.visible : 0
        var prefetchedBytes = 0
        var bytesAtScreen = 0
        var screenDone: Moment = 0
        var prefetchDone: Moment = 0
        var owed = prefetches ? lanes : 0
        engine.onEnd = { number in
            let key = engine.clients[number].key
            if key >= ScreenRun.visible {
                prefetchedBytes += engine.sizes[key]
                prefetchDone = engine.now
                owed += 1
            } else {
                visibleLeft -= 1
                if visibleLeft == 0 {
                    screenDone = engine.now
                    bytesAtScreen = prefetchedBytes
                }
            }
        }
        engine.plan(.outside(0), in: 0)
        if opens { engine.plan(.outside(1), in: ScreenWorld.opensAt) }
        var visible: [Int] = []
        var isOpen = false
        while engine.problem == nil {
            // Order: not inside `onEnd`, which the engine calls in the middle of an event.
            while prefetches, owed > 0, nextKey < last {
                owed -= 1
                engine.add(key: nextKey, plan: Plan([0]), level: 1)
                nextKey += 1
            }
            guard let event = engine.step() else { break }
            if event == 1 {
                isOpen = true
                for key in 0..<ScreenRun.visible { visible.append(engine.add(key: key, plan: Plan([0]), level: 3)) }
            }
            engine.settle()
        }
        if engine.problem == nil { engine.checkEmpty() }
        for number in visible {
            let client = engine.clients[number]
            times.append(Double((client.ended ?? engine.now) - client.started) / 1e9)
        }
        let seconds = max(0.001, Double(prefetchDone - screenDone) / 1e9)
        speed = isOpen ? Double(prefetchedBytes - bytesAtScreen) / seconds : Double(prefetchedBytes) / seconds
    }
}
