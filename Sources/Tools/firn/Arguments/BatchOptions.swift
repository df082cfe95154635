import ArgumentParser
import FirnReport

/// The sources of `load` and `thumbnail`, and the output of their batch.
struct BatchOptions: ParsableArguments {
    @OptionGroup
    var report: ReportOptions

    @Flag(name: .shortAndLong, help: "Print the times of each transfer: look-up, connection, first byte, bytes.")
    var verbose = false

    @Argument(help: SourceOptions.sourcesHelp, completion: .file())
    var sources: [String]

    func validate() throws {
        if report.quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
    }
}

/// The output of a command that works on many sources, how many it works on at once, and where it decodes them.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Print one JSON object for each source.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print failures only.")
    var quiet = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            """
            Work on at most this many images at once. Default: the number of cores; for load 6, for thumbnail one more \
            than there are cores.
            """,
            valueName: "n"))
    var jobs: Int?

    @OptionGroup
    var isolation: IsolationOptions

    func validate() throws {
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs takes a number from 1 to 1024.") }
    }
}
