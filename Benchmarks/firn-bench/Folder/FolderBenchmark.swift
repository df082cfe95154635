import Firn
import FirnFigures
import FoundationEssentials
import FirnSystem

/// Makes thumbnails of a folder of images with Firn, the bare codec library, and the other installed programs, each in
/// its own process.
struct FolderBenchmark {
    /// The prefix of the figures' names.
    let name: String
    /// The format of all images.
    let format: ImageFormat
    let images: [String]
    let rounds: Int
    static let side = 256

    /// One program to measure.
    struct Contestant {
        let name: String
        let command: [String]
        var input = ""
    }

    func run() -> [Figure] {
        let list = images.joined(separator: "\n")
        let own = CommandLine.arguments[0]
        let side = "\(FolderBenchmark.side)"
        let firn = Contestant(name: "firn", command: [own, "--child", "firn", side], input: list)
        let bare = Contestant(name: "bare", command: [own, "--child", format.rawValue, side], input: list)
        // vipsthumbnail must write its images to files: in memory, and deleted afterwards.
        let output = "/dev/shm/firn-bench-\(getpid())"
        try? FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: output) }
        let peers = [
            Contestant(
                name: "vipsthumbnail",
                command: ["vipsthumbnail", "--size", "\(side)x\(side)", "-o", "\(output)/%s.jpg"] + images),
            Contestant(
                name: "pillow", command: ["/usr/bin/python3", "Benchmarks/peers/thumbnails_pillow.py", side],
                input: list),
            Contestant(
                name: "gdk-pixbuf", command: ["/usr/bin/python3", "Benchmarks/peers/thumbnails_gdkpixbuf.py", side],
                input: list),
        ]
        // All programs read from the page cache: one round that does not count.
        _ = ChildProcess.run(bare.command, input: bare.input)
        let measures = measure([firn, bare] + peers)
        guard let mine = measures["firn"], let limit = measures["bare"] else {
            print("\(name): the children did not run")
            return []
        }
        var figures = figures(mine, limit)
        var best: (name: String, wall: Double)?
        for peer in peers {
            guard let theirs = measures[peer.name] else {
                print("\(name): \(peer.name) is not installed here, or does not read \(format)")
                continue
            }
            if theirs.wall < best?.wall ?? .infinity { best = (peer.name, theirs.wall) }
            figures.append(
                Figure(
                    name: "\(name).wallAgainst.\(peer.name)", value: mine.wall, unit: "s", peer: peer.name,
                    peerValue: theirs.wall, note: "\(NumberText.short(theirs.cpu)) s CPU"))
            if peer.name == "vipsthumbnail" {
                figures.append(
                    Figure(
                        name: "\(name).cpuAgainst.\(peer.name)", value: mine.cpu, unit: "s", peer: peer.name,
                        peerValue: theirs.cpu))
            }
        }
        if let best, format != .jpeg {
            figures.append(
                Figure(
                    name: "\(name).wallAgainstBest", value: mine.wall, unit: "s", peer: best.name,
                    peerValue: best.wall))
        }
        return figures
    }

    /// Compares with the bare library, whose wall time equals its CPU time.
    private func figures(_ mine: Measure, _ bare: Measure) -> [Figure] {
        [
            Figure(name: "\(name).cpu", value: mine.cpu, unit: "s", peer: "bare library", peerValue: bare.cpu),
            Figure(name: "\(name).wall", value: mine.wall, unit: "s", peer: "bare library's CPU", peerValue: bare.cpu),
            Figure(
                name: "\(name).peakMemory", value: mine.peak, unit: "MiB", peer: "bare library", peerValue: bare.peak),
        ]
    }

    private struct Measure {
        let cpu: Double
        let wall: Double
        let peak: Double
    }

    /// Returns medians over the rounds. All programs run in every round, one after the other, so that a slow minute
    /// affects all of them.
    private func measure(_ contestants: [Contestant]) -> [String: Measure] {
        var usages: [String: [ChildProcess.Usage]] = [:]
        var running = contestants
        for _ in 0..<rounds {
            // A program that failed once would fail in each round, with a message each time.
            running = running.filter { contestant in
                guard let usage = ChildProcess.run(contestant.command, input: contestant.input) else { return false }
                usages[contestant.name, default: []].append(usage)
                return true
            }
        }
        return usages.mapValues { usages in
            func median(_ value: (ChildProcess.Usage) -> Double) -> Double { usages.map(value).median }
            // Our own children print their peak memory in MiB.
            let peak = median { Double($0.output.split(whereSeparator: \.isWhitespace).last ?? "") ?? 0 }
            return Measure(cpu: median(\.cpu), wall: median(\.wall), peak: peak)
        }
    }
}
