import Firn
import FirnFigures

/// Measures how the work of two threads on two cores compares with that of one thread on one core: the wall time and
/// the CPU time of an operation of all threads together. Half the wall time is twice the work.
///
/// Each measurement is a process of its own, pinned to its cores.
struct CoresBenchmark {
    /// The photographs of the thumbnails.
    let photographs: [String]
    let rounds: Int

    func run(_ wants: (String) -> Bool) -> [Figure] {
        CoresChild.Work.allCases.filter { wants("cores.\($0)") && ($0 != .thumbnails || !photographs.isEmpty) }
            .flatMap { figures(of: $0) }
    }

    private func figures(of work: CoresChild.Work) -> [Figure] {
        let input = work == .thumbnails ? photographs.joined(separator: "\n") : ""
        /// Returns the wall time and the CPU time of an operation, in microseconds.
        func costs(_ threads: Int) -> (wall: Double, cpu: Double)? {
            let pinned = ["taskset", "-c", threads == 1 ? "0" : "0-\(threads - 1)"]
            let own = pinned + [CommandLine.arguments[0], "--child", "cores", "\(work)", "\(threads)"]
            let numbers = ChildProcess.run(own, input: input)?.output.split(whereSeparator: \.isWhitespace)
                .compactMap { Double($0) }
            guard let numbers, numbers.count == 2 else { return nil }
            return (numbers[0], numbers[1])
        }
        var (walls, cpus) = (Turns(), Turns())
        for _ in 0..<rounds {
            guard let two = costs(2), let one = costs(1) else {
                print("cores.\(work): the children did not run: they need two cores and taskset")
                return []
            }
            walls.own.append(two.wall)
            walls.peer.append(one.wall)
            cpus.own.append(two.cpu)
            cpus.peer.append(one.cpu)
        }
        return [
            walls.figure("cores.\(work).wall", unit: "µs", peer: "one thread"),
            cpus.figure("cores.\(work).cpu", unit: "µs", peer: "one thread"),
        ]
    }
}
