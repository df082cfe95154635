import FirnSystem

/// Runs many random worlds, one after another.
struct WorldRun {
    let first: UInt64
    let count: Int
    let steps: Int
    let tracedKey: Int

    init(_ values: [String: Int]) {
        if let seed = values["seed"] {
            first = UInt64(bitPattern: Int64(seed))
            count = 1
        } else {
            first = UInt64(max(0, values["from"] ?? time(nil) * 100_000))
            count = values["seeds"] ?? 100
        }
        steps = values["steps"] ?? 10_000
        tracedKey = values["key"] ?? -1
    }

    func run() -> Int32 {
        print("worlds: seeds \(first) to \(first + UInt64(count - 1)), \(steps) steps each")
        var sum = Tally()
        let begin = clock()
        for number in 0..<UInt64(count) {
            let world = RandomWorld(seed: first + number)
            world.engine.tracedKey = tracedKey
            if let problem = world.run(steps: steps) {
                print("seed \(world.seed), step \(world.engine.tally.steps): \(problem)")
                if count == 1 { print(world.engine.sight) }
                print("replay: make simulate SEED=\(world.seed) STEPS=\(steps)")
                return 1
            }
            sum = sum + world.engine.tally
        }
        let seconds = Double(clock() - begin) / Double(CLOCKS_PER_SEC)
        print(sum.description)
        print("\(sum.steps) steps, \(Int(seconds * 1e9 / Double(max(1, sum.steps)))) ns each")
        return 0
    }
}
