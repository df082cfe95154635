import Firn
import FoundationEssentials
import Glibc

/// Thumbnails of a folder of pictures: Firn, the bare codec library, and what else the machine has, each in a process of its own.
struct FolderBenchmark {
    /// What the figures' names begin with.
    let name: String
    /// Format of all the pictures.
    let format: ImageFormat
    let pictures: [String]
    let rounds: Int
    static let side = 256

    /// One contestant.
    struct Contestant {
        let name: String
        let command: [String]
        var input = ""
    }

    func run() -> [Figure] {
        let list = pictures.joined(separator: "\n")
        let own = CommandLine.arguments[0]
        let firn = Contestant(name: "firn", command: [own, "--child", "firn"], input: list)
        let bare = Contestant(name: "bare", command: [own, "--child", format.rawValue], input: list)
        // vipsthumbnail must write its pictures somewhere: into memory, and away with them.
        let output = "/dev/shm/firn-bench-\(getpid())"
        try? FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: output) }
        let peers = [
            Contestant(
                name: "vipsthumbnail",
                command: ["vipsthumbnail", "--size", "256x256", "-o", "\(output)/%s.jpg"] + pictures),
            Contestant(
                name: "pillow", command: ["/usr/bin/python3", "Benchmarks/peers/thumbnails_pillow.py", "256"],
                input: list),
            Contestant(
                name: "gdk-pixbuf", command: ["/usr/bin/python3", "Benchmarks/peers/thumbnails_gdkpixbuf.py", "256"],
                input: list),
        ]
        // Everybody reads from the page cache: one round that does not count.
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
                    name: "\(name).wallAgainst.\(peer.name)", value: mine.wall, unit: "s",
                    against: "\(peer.name) \(text(theirs.wall)) s wall, \(text(theirs.cpu)) s CPU",
                    ratio: mine.wall / theirs.wall, limit: .ratio(1)))
        }
        if let best, format != .jpeg {
            figures.append(
                Figure(
                    name: "\(name).wallAgainstBest", value: mine.wall, unit: "s",
                    against: "\(best.name) \(text(best.wall)) s", ratio: mine.wall / best.wall, limit: .ratio(0.6)))
        }
        return figures
    }

    /// Against the bare library: of JPEG, whose thumbnails need not read all of a progressive file, more is asked.
    private func figures(_ mine: Measure, _ bare: Measure) -> [Figure] {
        let isJPEG = format == .jpeg
        return [
            Figure(
                name: "\(name).cpu", value: mine.cpu, unit: "s", against: "bare library \(text(bare.cpu)) s",
                ratio: mine.cpu / bare.cpu, limit: .ratio(isJPEG ? 0.75 : 1.1)),
            Figure(
                name: "\(name).wall", value: mine.wall, unit: "s",
                against: "bare library's CPU \(text(bare.cpu)) s", ratio: mine.wall / bare.cpu,
                limit: isJPEG ? .ratio(0.45) : nil),
            Figure(
                name: "\(name).peakMemory", value: mine.peak, unit: "MiB", against: "bare \(text(bare.peak)) MiB",
                ratio: mine.peak / bare.peak, limit: isJPEG ? .value(64) : nil),
        ]
    }

    private struct Measure {
        let cpu: Double
        let wall: Double
        let peak: Double
    }

    /// Medians over the rounds. All run in every round, one after the other, so that a slow minute is everybody's.
    private func measure(_ contestants: [Contestant]) -> [String: Measure] {
        var usages: [String: [ChildProcess.Usage]] = [:]
        for _ in 0..<rounds {
            for contestant in contestants {
                guard let usage = ChildProcess.run(contestant.command, input: contestant.input) else { continue }
                usages[contestant.name, default: []].append(usage)
            }
        }
        return usages.mapValues { usages in
            func median(_ value: (ChildProcess.Usage) -> Double) -> Double {
                usages.map(value).sorted()[usages.count / 2]
            }
            // Our own children print their peak in MiB.
            let peak = median { Double($0.output.split(whereSeparator: \.isWhitespace).last ?? "") ?? 0 }
            return Measure(cpu: median(\.cpu), wall: median(\.wall), peak: peak)
        }
    }

    private func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
