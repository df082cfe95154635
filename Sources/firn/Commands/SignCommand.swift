import ArgumentParser

/// `firn sign`: signs the path of an address. Executes `firn-serve`, a separate program.
struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign the path of an address for 'firn serve' and imgproxy.",
        discussion: """
            EXAMPLE
              firn sign /rs:fit:300:200/plain/local:///a.jpg --key 7365 --salt 6865
            """)

    @Argument(parsing: .captureForPassthrough, help: "The path, and --key and --salt.")
    var arguments: [String] = []

    func run() throws { try ProgramBeside.execute("firn-serve", ["sign"] + arguments) }
}
