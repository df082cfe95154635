import FirnSystem

/// Plays every script of a given length against every setting.
struct ScriptRun {
    let length: Int

    init(_ values: [String: Int]) { length = values["length"] ?? 6 }

    func run() -> Int32 {
        for setting in ScriptSetting.all {
            let begin = clock()
            let (count, problem) = explore(setting)
            if let problem {
                print("\(setting.name): \(problem)")
                return 1
            }
            let seconds = Double(clock() - begin) / Double(CLOCKS_PER_SEC)
            print("\(setting.name): \(count) scripts of \(length) events, \(Int(seconds * 10)) tenths of a second")
        }
        return 0
    }

    /// Plays all scripts, each from its start. The next script changes the last choice that has an alternative.
    private func explore(_ setting: ScriptSetting) -> (count: Int, problem: String?) {
        var choices: [Int] = []
        var count = 0
        while true {
            let world = ScriptWorld(setting)
            var played: [ScriptEvent] = []
            var bounds: [Int] = []
            while played.count < length, world.problem == nil {
                let possible = world.possible
                guard !possible.isEmpty else { break }
                if choices.count == played.count { choices.append(0) }
                bounds.append(possible.count)
                let event = possible[choices[played.count]]
                played.append(event)
                world.play(event)
            }
            if world.problem == nil { world.drain() }
            count += 1
            if let problem = world.problem { return (count, "\(problem); after \(setting.prologue + played)") }
            choices = Array(choices.prefix(bounds.count))
            while let last = choices.last, last + 1 >= bounds[choices.count - 1] { choices.removeLast() }
            guard let last = choices.popLast() else { return (count, nil) }
            choices.append(last + 1)
        }
    }
}
