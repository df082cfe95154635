import FirnSystem

/// Parses the program's arguments.
enum Command {
    static func run(_ arguments: [String]) -> Int32 {
        var values: [String: Int] = [:]
        for argument in arguments {
            let parts = argument.split(separator: "=")
            if parts.count == 2, let value = Int(parts[1]) { values[String(parts[0])] = value }
        }
        switch arguments.first {
        case "world": return WorldRun(values).run()
        case "scripts": return ScriptRun(values).run()
        case "screen": return ScreenRun(values).run()
        case "fleet": return FleetRun(values).run()
        default:
            print(
                """
                firn-simulate world [seed=N | seeds=N] [steps=N] | scripts [length=N] | screen [screens=N]
                    | fleet [servers=N]
                """)
            return 2
        }
    }
}
