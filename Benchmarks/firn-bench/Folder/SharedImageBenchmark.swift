import Firn
import FirnFigures

/// Measures one large JPEG with restart markers at a time, on all cores and on one.
struct SharedImageBenchmark {
    /// Baseline JPEGs of 24 megapixels with restart markers.
    let images: [String]
    let rounds: Int

    func run() -> [Figure] {
        let own = [CommandLine.arguments[0], "--child", "turns", "\(FolderBenchmark.side)"]
        let list = images.joined(separator: "\n")
        func wall(_ command: [String]) -> Double? {
            ChildProcess.run(command, input: list).flatMap {
                Double($0.output.split(whereSeparator: \.isWhitespace).last ?? "")
            }
        }
        _ = wall(own)
        var walls: (all: [Double], one: [Double]) = ([], [])
        for _ in 0..<rounds {
            guard let all = wall(own), let one = wall(["taskset", "-c", "0"] + own) else {
                print("folder.shared: the children did not run, or taskset is not installed here")
                return []
            }
            walls.all.append(all)
            walls.one.append(one)
        }
        return [
            Figure(
                name: "folder.shared.wall", value: walls.all.median, unit: "ms", peer: "one core",
                peerValue: walls.one.median)
        ]
    }
}
