// The current content of the table, for snapshots.
extension JobTable {
    struct Standing {
        let ticket: JobTicket
        let stage: JobStage
        let level: Int
        let phase: Job.Phase
        let work: Work?
        /// The number of tasks that are attached to it.
        let tasks: Int
    }

    /// Returns all jobs that have not ended. Visits every job, for diagnostics.
    mutating func survey() -> [Standing] {
        var standings: [Standing] = []
        for index in 0..<Int32(jobs.count) where jobs[index].phase != .free && jobs[index].phase != .finished {
            let job = jobs[index]
            standings.append(
                Standing(
                    ticket: ticket(ofJob: index), stage: job.stage, level: Int(job.level), phase: job.phase,
                    work: job.work, tasks: tasks(on: index).count { _ in true }))
        }
        return standings
    }
}
