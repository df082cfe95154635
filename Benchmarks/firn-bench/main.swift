import FirnFigures
import FirnReport
import FoundationEssentials
import FirnSystem

/// Prints an error message on standard error.
func complain(_ text: String) {
    let line = Array("firn-bench: \(text)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments == ["--child", "http-server"] {
    SmallServer.run()
    exit(0)
}
if arguments.count == 5, arguments[1] == "first-image" {
    try await FirstImageBenchmark.run(arguments[2], arguments[3], authority: arguments[4])
    exit(0)
}
if arguments.count == 6, arguments[1] == "held", let count = Int(arguments[4]), let connections = Int(arguments[5]) {
    try await HeldRequests.run(arguments[2], arguments[3], count: count, connections: connections)
}
if arguments.count == 4, arguments[1] == "cores", let threads = Int(arguments[3]) {
    try await CoresChild.run(arguments[2], threads: threads)
    exit(0)
}
if arguments == ["--child", "cold-load"] {
    try await ColdLoadChild.run()
    exit(0)
}
if arguments == ["--child", "regions"] {
    try RegionChild.run()
    exit(0)
}
if arguments == ["--child", "pyramid"] {
    try await PyramidChild.run()
    exit(0)
}
if arguments == ["--child", "isolation"] {
    try IsolationChild.run()
    exit(0)
}
if arguments == ["--child", "isolation-echo"] {
    BareRoundTrip.echo()
    exit(0)
}
if arguments.count == 3, arguments[0] == "--child", let side = Int(arguments[2]) {
    try await FolderChild.run(arguments[1], side: side)
    exit(0)
}
do {
    let options = try BenchOptions(arguments)
    // Order: unreadable files are reported now, not after a quarter of an hour.
    var book = try FigureBook(mayBegin: options.isAccepting)
    let figures: [Figure]
    if let source = options.source {
        figures = try FigureBook.history(source).newest { book.thresholds[$0] != nil }.filter { options.wants($0.name) }
        if figures.isEmpty { throw FigureFileError(source, "has no figures of those asked for") }
    } else {
        let surroundings = Surroundings()
        let start = Stopwatch.wallNow
        figures = try await Measurements(options: options).run().filter { options.wants($0.name) }
        guard !figures.isEmpty else {
            throw BenchOptions.Failure(message: "nothing was measured\(options.only.isEmpty ? "" : ": no such parts?")")
        }
        let run = surroundings.run(options, figures, seconds: Stopwatch.wallNow - start)
        let path = try book.keep(run)
        print("kept: \(path)\(run.isChanged ? " (of a changed \(run.commit), not of the commit)" : "")")
    }
    print(FigureTable.text(figures, book.thresholds))
    let comparison = Comparison(figures, with: book.thresholds) { options.wants($0) }
    print(comparison.text)
    if options.isAccepting { try book.accept(figures) }
    let drawings = try book.draw()
    print("drawn: \(drawings.joined(separator: ", "))")
    exit(options.isStrict && comparison.isWorse ? 1 : 0)
} catch let error as BenchOptions.Failure {
    complain("\(error.message)\n\(BenchOptions.usage)")
    exit(2)
} catch {
    complain("\(error)")
    exit(1)
}
