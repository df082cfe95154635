import FirnTesting

/// A suite that runs the command `firn`. Each test has a folder of its own.
class CommandSuite {
    let scratch: Scratch
    let firn = BuiltCommand("firn")

    init() throws { scratch = try Scratch() }
}

/// A suite that runs the command `firn` against a server. Each test has a server of its own.
class ServedCommandSuite: CommandSuite {
    let server: ScriptedServer

    override init() throws {
        server = try ScriptedServer()
        try super.init()
    }
}
