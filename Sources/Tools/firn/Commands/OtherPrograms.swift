import FirnSystem

/// `firn gallery`: shows images in a window. Executes `firn-gallery`, a separate program, so that this one does not
/// need GTK.
struct GalleryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gallery", abstract: "Show images in a window (needs GTK 4).",
        discussion: """
            Starts firn-gallery from the folder of firn or from PATH. firn-gallery --help lists its options.

            EXAMPLE
              firn gallery ~/Images
            """)

    @Argument(
        parsing: .captureForPassthrough, help: "Images, folders, addresses, @LIST, and options of firn-gallery.",
        completion: .file())
    var arguments: [String] = []

    func run() throws { try ProgramBeside.execute("firn-gallery", arguments) }
}

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

/// `firn sign`: signs the path of an address. Executes `firn-serve`, a separate program.
struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign the path of a URL for 'firn serve' and imgproxy.",
        discussion: """
            EXAMPLE
              firn sign /rs:fit:300:200/plain/local:///a.jpg --key 7365 --salt 6865
            """)

    @Argument(parsing: .captureForPassthrough, help: "The path, and --key and --salt.")
    var arguments: [String] = []

    func run() throws { try ProgramBeside.execute("firn-serve", ["sign"] + arguments) }
}

/// A separate program that replaces this process, so that `firn` does not link its libraries.
enum ProgramBeside {
    /// Executes a program from the folder of this one or from `PATH`. Returns only by throwing.
    static func execute(_ name: String, _ arguments: [String]) throws {
        let beside = PathText.target(of: "/proc/self/exe").map { PathText.split($0).folder + name }
        let program = beside.flatMap { path in path.withSystemPath { access($0, X_OK) } == 0 ? path : nil } ?? name
        let strings = ([program] + arguments).map { word in word.withSystemPath { strdup($0) } } + [nil]
        execvp(program, strings)
        // Reached only if the program could not be started.
        let reason = String(cString: strerror(errno))
        strings.forEach { free($0) }
        throw ExitCode.reported("cannot start \(name): \(reason)")
    }
}
