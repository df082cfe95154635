import FirnReport
import FoundationEssentials

/// The files of the bench: what is asked, what was measured so far, and the drawings of both.
package struct FigureBook: Sendable {
    /// Where the files are, from the repository's folder.
    package struct Places: Sendable {
        /// What is asked and accepted.
        package var thresholds = "Benchmarks/thresholds.json"
        /// A file for each run.
        package var history = "Benchmarks/History"
        /// The drawings of the run; not kept.
        package var output = "bench-out"
        /// The drawings that pages show; written when figures are accepted.
        package var documentation = "Documentation"

        /// The places in the repository.
        package init() {}
    }

    private let places: Places
    /// What is asked and accepted.
    package private(set) var thresholds: Thresholds
    /// The runs so far.
    package private(set) var history: RunHistory

    /// Reads what is asked and what was measured.
    ///
    /// - Parameter mayBegin: whether no file of thresholds is an empty one.
    /// - Throws: ``FigureFileError``; nothing is changed.
    package init(_ places: Places = Places(), mayBegin: Bool = false) throws(FigureFileError) {
        self.places = places
        if mayBegin, !FileManager.default.fileExists(atPath: places.thresholds) {
            thresholds = Thresholds()
        } else {
            thresholds = try Thresholds(FigureJSON.read(places.thresholds), path: places.thresholds)
        }
        history = try FigureBook.history(places.history)
    }

    /// The runs in a folder, or in one file; none if there is no such folder.
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

    /// Keeps a run in the history.
    ///
    /// - Returns: the file.
    package mutating func keep(_ run: BenchRun) throws(FigureFileError) -> String {
        let path = "\(places.history)/\(run.fileName)"
        try write(run.text, to: path)
        history.add(run)
        return path
    }

    /// Takes figures for what is accepted.
    package mutating func accept(_ figures: [Figure]) throws(FigureFileError) {
        thresholds.accept(figures)
        try write(thresholds.text, to: places.thresholds)
    }

    /// Draws the newest of every figure, and how all of them went.
    ///
    /// - Parameter forPages: whether the drawings that pages show are written, too.
    /// - Returns: the files.
    package func draw(forPages: Bool) throws(FigureFileError) -> [String] {
        var files: [String] = []
        let drawings = [("figures.svg", figures), ("requests.svg", requests), ("figures-over-time.svg", courses)]
        for folder in forPages ? [places.output, places.documentation] : [places.output] {
            for (name, svg) in drawings {
                files.append("\(folder)/\(name)")
                try write(svg, to: "\(folder)/\(name)")
            }
        }
        return files
    }

    // MARK: Drawings

    private var newest: [Figure] { history.newest { thresholds[$0] != nil } }

    /// What something is asked of.
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

    private var courses: String { CourseDrawing.svg(title: "Figures from run to run", history, thresholds) }

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
