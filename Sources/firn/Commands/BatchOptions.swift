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

    /// The amount of output in addition to failures.
    var talk: LoadRun.Talk { report.quiet ? .quiet : verbose ? .verbose : .normal }

    /// Whether the arguments name exactly one image.
    ///
    /// - Parameter list: the sources that were found.
    func isSingle(_ list: SourceList) -> Bool { sources.count == 1 && !list.isOpen }

    /// - Throws: a usage error if several images would go to the standard output.
    func checkStandardOutput(_ out: String, _ list: SourceList) throws {
        if out == "-", !isSingle(list) { throw OutputTarget.severalToStandardOutput }
    }
}
