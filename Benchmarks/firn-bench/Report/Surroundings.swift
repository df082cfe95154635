import FirnFigures
import FirnReport
import FoundationEssentials
import FirnSystem
import FirnSync

/// The surroundings of a run at its start: the commit, the machine, the time.
struct Surroundings {
    private let commit: String
    private let isChanged: Bool
    private let date: String
    private let machine: BenchMachine

    /// The paths that figures depend on; the bench's own output is excluded.
    private static let measured = [
        "Sources", "Benchmarks", "Package.swift", ":!Benchmarks/accepted.json", ":!Benchmarks/thresholds.json",
        ":!*.md",
    ]

    init() {
        let name = ChildProcess.run(["git", "rev-parse", "--short=9", "HEAD"])?.output
        commit = name.map { $0.filter { !$0.isWhitespace } } ?? "unknown"
        let changes = ChildProcess.run(["git", "status", "--porcelain", "--"] + Surroundings.measured)?.output
        isChanged = changes.map { !$0.isEmpty } ?? true
        date = Date.now.formatted(.iso8601)
        let cpuinfo = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let release = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? "unknown"
        machine = BenchMachine(
            processor: BenchMachine.processor(in: cpuinfo), cores: Machine.cores,
            kernel: release.filter { !$0.isWhitespace })
    }

    func run(_ options: BenchOptions, _ figures: [Figure], seconds: Double) -> BenchRun {
        BenchRun(
            commit: commit, isChanged: isChanged, date: date, machine: machine, rounds: options.rounds,
            only: options.only, seconds: seconds, figures: figures)
    }
}
