import Firn
import FoundationEssentials
import Glibc

/// Thumbnails of a folder of photographs: Firn, the bare codec library, and what else the machine has, each in a process of its own.
struct FolderBenchmark {
    let photographs: [String]
    let rounds: Int
    static let side = 256

    /// One contestant.
    struct Contestant {
        let name: String
        let command: [String]
        var input = ""
    }

    func run() -> [Figure] {
        let list = photographs.joined(separator: "\n")
        let own = CommandLine.arguments[0]
        let firn = Contestant(name: "firn", command: [own, "--child", "firn"], input: list)
        let bare = Contestant(name: "bare", command: [own, "--child", "bare"], input: list)
        // vipsthumbnail must write its pictures somewhere: into memory, and away with them.
        let output = "/dev/shm/firn-bench-\(getpid())"
        try? FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: output) }
        let peers = [
            Contestant(
                name: "vipsthumbnail",
                command: ["vipsthumbnail", "--size", "256x256", "-o", "\(output)/%s.jpg"] + photographs),
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
            print("folder: the children did not run")
            return []
        }
        var figures = [
            Figure(
                name: "folder.cpu", value: mine.cpu, unit: "s", against: "bare libjpeg-turbo \(text(limit.cpu)) s",
                ratio: mine.cpu / limit.cpu, limit: .ratio(1.25)),
            Figure(
                name: "folder.wall", value: mine.wall, unit: "s", against: "its own CPU \(text(mine.cpu)) s",
                ratio: mine.wall / mine.cpu, limit: .ratio(0.65)),
            Figure(
                name: "folder.peakMemory", value: mine.peak, unit: "MiB", against: "bare \(text(limit.peak)) MiB",
                ratio: mine.peak / limit.peak, limit: .ratio(1.3)),
        ]
        for peer in peers {
            guard let theirs = measures[peer.name] else {
                print("folder: \(peer.name) is not installed here")
                continue
            }
            figures.append(
                Figure(
                    name: "folder.wallAgainst.\(peer.name)", value: mine.wall, unit: "s",
                    against: "\(peer.name) \(text(theirs.wall)) s wall, \(text(theirs.cpu)) s CPU",
                    ratio: mine.wall / theirs.wall, limit: .ratio(1)))
        }
        return figures
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
