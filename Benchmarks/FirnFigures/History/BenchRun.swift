/// One run of the bench: what was measured, of which commit, when and where.
package struct BenchRun: Sendable, Equatable {
    /// The commit's short name; `unknown` outside a repository.
    package let commit: String
    /// Whether what is measured was changed since the commit.
    package let isChanged: Bool
    /// When it began: ISO 8601, UTC, to the second, so that the order of texts is that of time.
    package let date: String
    /// Where.
    package let machine: BenchMachine
    /// Rounds of each measurement.
    package let rounds: Int
    /// The parts that were asked for; empty for all of them.
    package let only: [String]
    /// How long it took, in seconds.
    package let seconds: Double
    /// In the order they were measured in.
    package var figures: [Figure]

    /// A run with everything that is known of it.
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

    /// The commit's name, with a mark if it was not quite that.
    package var version: String { isChanged ? "\(commit)+" : commit }

    /// What the run is called in a folder: `2026-11-22T013005Z-605a10b.json`.
    package var fileName: String { "\(date.filter { $0 != ":" })-\(version).json" }
}
