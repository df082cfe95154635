import ArgumentParser
import FirnReport

/// The sources of `load` and `thumbnail`, and the output of their batch.
struct BatchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Work on at most this many images at once. Default: 6; for thumbnails, one more than there are cores.",
            valueName: "n"))
    var jobs: Int?

    @Flag(help: "Print one JSON object for each source, then a summary.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print the times of each transfer: look-up, connection, first byte, bytes.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Print failures only.")
    var quiet = false

    @Argument(help: ArgumentHelp("URLs, files, folders, @lists, or - for the standard input.", valueName: "src"))
    var sources: [String]

    func validate() throws {
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs takes a number from 1 to 1024.") }
        if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
    }

    /// The amount of output in addition to failures.
    var talk: LoadRun.Talk { quiet ? .quiet : verbose ? .verbose : .normal }

    /// Whether the arguments name exactly one image.
    ///
    /// - Parameter list: the sources that were found.
    func isSingle(_ list: SourceList) -> Bool { sources.count == 1 && !list.isOpen }

    /// - Throws: a usage error if several images would go to the standard output.
    func checkStandardOutput(_ out: String, _ list: SourceList) throws {
        if out == "-", !isSingle(list) { throw OutputTarget.severalToStandardOutput }
    }
}
