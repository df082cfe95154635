// The current content of the table, for snapshots.
extension JobTable {
    /// A job as it stands.
    struct Standing {
        enum State { case queued, running, held, waiting }

        let ticket: JobTicket
        let stage: JobStage
        let level: Int
        let state: State
        let work: Work?
        /// Tasks that hang on it.
        let tasks: Int
    }

    /// Every job that is not over. Takes a look at each: for diagnosis.
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
