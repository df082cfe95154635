import FirnData
import FirnReport
import FoundationEssentials

/// The files of the bench: thresholds, the accepted run, the runs of this machine, and drawings of the newest figures.
package struct FigureBook: Sendable {
    /// The locations of the files, relative to the repository.
    package struct Places: Sendable {
        /// Limits and accepted figures.
        package var thresholds = "Benchmarks/thresholds.json"
        /// The accepted run: the newest value of every figure when figures were last accepted.
        package var accepted = "Benchmarks/accepted.json"
        /// The folder with a file for each run; not under version control.
        package var history = "bench-out/History"
        /// The folder for the drawings; not under version control.
        package var output = "bench-out"

        /// The default locations.
        package init() {}
    }

    private let places: Places
    /// Limits and accepted figures.
    package private(set) var thresholds: Thresholds
    /// The accepted run and the runs in the folder, oldest first.
    package private(set) var history: RunHistory

    /// Reads thresholds and history.
    ///
    /// - Parameter mayBegin: whether a missing file of thresholds counts as an empty one.
    /// - Throws: ``FigureFileError``; no file is changed.
    package init(_ places: Places = Places(), mayBegin: Bool = false) throws(FigureFileError) {
        self.places = places
        if mayBegin, !FileManager.default.fileExists(atPath: places.thresholds) {
            thresholds = Thresholds()
        } else {
            thresholds = try Thresholds(FigureJSON.read(places.thresholds), path: places.thresholds)
        }
        history = try FigureBook.history(places.history)
        if FileManager.default.fileExists(atPath: places.accepted) {
            history.add(try BenchRun(FigureJSON.read(places.accepted), path: places.accepted))
        }
    }

    /// Reads the runs in a folder, or in one file; none if the folder does not exist.
    package static func history(_ path: String) throws(FigureFileError) -> RunHistory {
        if path.hasSuffix(".json") { return RunHistory([try BenchRun(FigureJSON.read(path), path: path)]) }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var history = RunHistory()
        for name in names.sorted() where name.hasSuffix(".json") {
            let file = "\(path)/\(name)"
            history.add(try BenchRun(FigureJSON.read(file), path: file))
        }
        return history
    }

    /// Stores a run in the history.
    ///
    /// - Returns: the path of the file.
    package mutating func keep(_ run: BenchRun) throws(FigureFileError) -> String {
        let path = "\(places.history)/\(run.fileName)"
        try write(run.text, to: path)
        history.add(run)
        return path
    }

    /// Stores figures as the accepted ones, and the newest value of every figure as the accepted run.
    package mutating func accept(_ figures: [Figure]) throws(FigureFileError) {
        thresholds.accept(figures)
        try write(thresholds.text, to: places.thresholds)
        guard var run = history.runs.last else { return }
        run.figures = newest
        try write(run.text, to: places.accepted)
    }

    /// Draws the newest value of every figure.
    ///
    /// - Returns: the paths of the files.
    package func draw() throws(FigureFileError) -> [String] {
        var files: [String] = []
        for (name, svg) in [("figures.svg", figures), ("requests.svg", requests)] {
            files.append("\(places.output)/\(name)")
            try write(svg, to: "\(places.output)/\(name)")
        }
        return files
    }

    // MARK: Drawings

    private var newest: [Figure] { history.newest { thresholds[$0] != nil } }

    /// Draws the figures that have limits.
    private var figures: String {
        PeerDrawing.svg(
            title: "Firn against its peers: shorter is better (ssim: longer)", note: note,
            newest.filter { thresholds[$0.name]?.isAsked == true && !$0.name.hasPrefix("request.growth.") }, thresholds)
    }

    private var requests: String {
        PeerDrawing.svg(
            title: "Requests, and the same with 100 to 1 000 000 outstanding", note: note,
            newest.filter { $0.part == "request" }, thresholds)
    }

    private var note: String {
        guard let run = history.runs.last else { return "nothing measured" }
        let kept = newest.count - run.figures.count
        let machine = "\(run.machine.processor), \(run.machine.cores) cores"
        return "\(run.date.prefix(10)), \(run.version), \(machine)"
            + (kept > 0 ? "; \(kept) figures of earlier runs" : "")
    }

    private func write(_ text: String, to path: String) throws(FigureFileError) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        do {
            try OutputFile.write(Data(text.utf8), to: path)
        } catch {
            throw FigureFileError(path, "\(error)")
        }
    }
}
