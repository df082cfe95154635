/// One run of the bench: its figures, the commit, the time and the machine.
package struct BenchRun: Sendable, Equatable {
    /// The commit's short name; `unknown` outside a repository.
    package let commit: String
    /// True if the measured code was changed since the commit.
    package let isChanged: Bool
    /// The start time: ISO 8601, UTC, to the second, so that text order is time order.
    package let date: String
    /// The machine that was measured.
    package let machine: BenchMachine
    /// The number of rounds of each measurement.
    package let rounds: Int
    /// The requested parts; empty for all.
    package let only: [String]
    /// The duration in seconds.
    package let seconds: Double
    /// The figures in the order of measurement.
    package var figures: [Figure]

    package init(
        commit: String, isChanged: Bool, date: String, machine: BenchMachine, rounds: Int, only: [String],
        seconds: Double, figures: [Figure]
    ) {
        self.commit = commit
        self.isChanged = isChanged
        self.date = date
        self.machine = machine
        self.rounds = rounds
        self.only = only
        self.seconds = seconds
        self.figures = figures
    }

    /// The commit's name, followed by `+` if the code was changed since.
    package var version: String { isChanged ? "\(commit)+" : commit }

    /// The run's file name in a folder: `2026-11-22T013005Z-605a10b.json`.
    package var fileName: String { "\(date.filter { $0 != ":" })-\(version).json" }
}
