import ArgumentParser

/// `firn serve`: an image server. Executes `firn-serve`, a separate program.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve images over HTTP: resized, cropped, converted.",
        discussion: """
            Starts firn-serve from the folder of firn or from PATH. firn serve --help lists its options.

            EXAMPLE
              firn serve --insecure --local-root ~/Images
            """)

    @Argument(parsing: .captureForPassthrough, help: "Options of firn-serve.", completion: .file())
    var arguments: [String] = []

    func run() throws { try ProgramBeside.execute("firn-serve", ["serve"] + arguments) }
}
