// The current content of the table, for snapshots.
extension JobTable {
    struct Standing {
        enum State { case queued, running, held, waiting }

        let ticket: JobTicket
        let stage: JobStage
        let level: Int
        let state: State
        let work: Work?
        /// The number of tasks that are attached to it.
        let tasks: Int
    }

    /// Returns all jobs that have not ended. Visits every job, for diagnostics.
    mutating func survey() -> [Standing] {
        var standings: [Standing] = []
        for index in 0..<Int32(jobs.count) {
            let state: Standing.State
            switch jobs[index].phase {
            case .free, .finished: continue
            case .queued: state = .queued
            case .running, .abandoned: state = .running
            case .held: state = .held
            case .parked, .starved: state = .waiting
            }
            var count = 0
            for _ in tasks(on: index) { count += 1 }
            standings.append(
                Standing(
                    ticket: ticket(ofJob: index), stage: jobs[index].stage, level: Int(jobs[index].level), state: state,
                    work: jobs[index].work, tasks: count))
        }
        return standings
    }
}
