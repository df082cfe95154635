import Firn
import FirnFigures
import FoundationEssentials
import FirnSystem

/// Measures what confined processes cost, against the same decodes in the program's process.
///
/// Each run is a process of its own, whose CPU time includes that of its workers. The two alternate.
struct IsolationBenchmark {
    let photographs: [String]
    let rounds: Int

    /// The output of a child, and the times of its whole process tree.
    private struct Run {
        let first: Double
        let round: Double
        let memory: Double
        let cpu: Double
        let wall: Double
    }

    /// The medians of the runs with and without isolation.
    private struct Pair {
        let all: Run
        let none: Run
    }

    func run() -> [Figure] {
        var figures: [Figure] = []
        if let tiny = pair([]) {
            let bare = BareRoundTrip.measure().map { "two bare round trips: \(NumberText.short($0 / 1000)) ms" } ?? ""
            figures += [
                Figure(
                    name: "isolation.round", value: tiny.all.round, unit: "ms", peer: "in process",
                    peerValue: tiny.none.round, note: bare),
                Figure(name: "isolation.zygote.memory", value: tiny.all.memory / 1024, unit: "MiB"),
            ]
        }
        let folder = "/dev/shm/firn-bench-isolation-\(getpid())"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if let heic = heic(in: folder), let pair = pair([heic]) {
            figures.append(
                Figure(
                    name: "isolation.heic.cpu", value: pair.all.cpu, unit: "ms", peer: "in process",
                    peerValue: pair.none.cpu))
        }
        if let tiny = tiny(in: folder), let pair = pair([tiny]) {
            figures.append(
                Figure(
                    name: "isolation.start", value: pair.all.first, unit: "ms", peer: "a process that does nothing",
                    peerValue: Stopwatch.median(of: 15) { (ChildProcess.run(["true"])?.wall ?? 0) * 1000 }))
        }
        if let pair = pair(photographs) {
            figures += [
                Figure(
                    name: "isolation.folder.cpu", value: pair.all.cpu, unit: "ms", peer: "in process",
                    peerValue: pair.none.cpu),
                Figure(
                    name: "isolation.folder.wall", value: pair.all.wall, unit: "ms", peer: "in process",
                    peerValue: pair.none.wall),
            ]
        }
        if let drawing = drawing(in: folder), let pair = pair([drawing], "complex") {
            figures.append(
                Figure(name: "isolation.first.later", value: pair.all.first - pair.none.first, unit: "ms"))
        }
        return figures
    }

    /// Makes a HEIC of 12 megapixels of the first photograph; `nil` if a program is missing.
    private func heic(in folder: String) -> String? {
        let still = "\(folder)/still.png"
        let file = "\(folder)/still.heic"
        for command in [
            [
                "vips", "thumbnail", photographs[0], still, "4000", "--height", "3000", "--crop", "low", "--size",
                "force",
            ],
            ["heif-enc", "-q", "60", "-o", file, still],
        ] where ChildProcess.run(command) == nil {
            print("isolation: \(command[0]) is not installed here, or failed")
            return nil
        }
        return file
    }

    /// Makes a PNG of 4 × 3 pixels.
    private func tiny(in folder: String) -> String? {
        let file = "\(folder)/tiny.png"
        let image = try? Bitmap(size: PixelSize(width: 4, height: 3), format: .rgb8) { pixels in
            for y in 0..<3 { pixels.row(y).initializeMemory(as: UInt8.self, repeating: 120, count: 12) }
        }
        guard let image, let data = try? ImageEncoders.encoder(for: .png)?.encode(image) else { return nil }
        return FileManager.default.createFile(atPath: file, contents: data) ? file : nil
    }

    private func drawing(in folder: String) -> String? {
        let file = "\(folder)/drawing.svg"
        let contents = Data(IsolationBenchmark.drawing.utf8)
        return FileManager.default.createFile(atPath: file, contents: contents) ? file : nil
    }

    /// A drawing that takes no time to draw.
    static let drawing =
        "<svg xmlns='http://www.w3.org/2000/svg' width='64' height='64'><rect width='64' height='64'/></svg>"

    private func pair(_ paths: [String], _ isolation: String = "all") -> Pair? {
        var all: [Run] = []
        var none: [Run] = []
        for _ in 0..<rounds {
            if let run = run(isolation, paths) { all.append(run) }
            if let run = run("none", paths) { none.append(run) }
        }
        guard !all.isEmpty, !none.isEmpty else {
            print("isolation: the children did not run")
            return nil
        }
        return Pair(all: median(all), none: median(none))
    }

    private func run(_ isolation: String, _ paths: [String]) -> Run? {
        let input = ([isolation, "256"] + paths).joined(separator: "\n") + "\n"
        guard let usage = ChildProcess.run([CommandLine.arguments[0], "--child", "isolation"], input: input) else {
            return nil
        }
        let numbers = usage.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 3 else { return nil }
        return Run(
            first: numbers[0], round: numbers[1], memory: numbers[2], cpu: usage.cpu * 1000, wall: usage.wall * 1000)
    }

    private func median(_ runs: [Run]) -> Run {
        func median(_ value: (Run) -> Double) -> Double { runs.map(value).median }
        return Run(
            first: median(\.first), round: median(\.round), memory: median(\.memory), cpu: median(\.cpu),
            wall: median(\.wall))
    }
}
