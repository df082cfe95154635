import ArgumentParser

/// The output of a command that works on many sources, and how many it works on at once.
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

    func validate() throws {
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs takes a number from 1 to 1024.") }
    }

    /// The form of the output of a command without tables.
    var form: ImageReports.Form { json ? .json : quiet ? .nothing : .lines }
}
