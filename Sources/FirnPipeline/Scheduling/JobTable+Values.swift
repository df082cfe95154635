// Arguments and results.
extension JobTable {
    /// A new root's work, and its properties for scheduling.
    struct Root {
        var work: Work
        /// The stage it begins in.
        var stage: JobStage
        /// The host of its bytes; `nil` if no network is needed: no limit per host, no rate limit, no pauses.
        var host: HostKey?
        /// Whether its bytes could be kept in the data cache, so that they are useful even if no task waits.
        var mayKeep = false
    }

    /// The result of adding a task.
    enum Admission {
        /// The task waits; the ticket names it.
        case waits(JobTicket)
        /// Its last step has just been done for another task. It ends with the product of this work.
        case finished(Work?)
    }

    /// A job for a worker.
    struct Start {
        let ticket: JobTicket
        let work: Work
        let stage: JobStage
        /// How urgent it is at the moment.
        var level = 0
        /// Whether the job is a paused transfer that resumes.
        var isResumption = false
        /// Overrides orders with lower numbers, in whatever order they are performed.
        var number: UInt64 = 0
    }

    /// The result of a started job.
    enum Outcome {
        /// Its work holds the product; the tasks that waited for it continue with it.
        case finished
        /// It continues in another stage.
        case moves(JobStage)
        /// It has no product. All waiting tasks fail.
        case failed
        /// A decode has read all bytes so far, and continues when there are more.
        case starved
    }

    /// The work that remains once a job has ended.
    enum Aftermath {
        case none
        /// No task waited for the bytes, but they are stored.
        case keep
    }

    /// What to do with work that runs. The shell does it without its lock.
    ///
    /// Orders of several critical sections may be performed by several threads at once, so those that can undo each
    /// other are numbered, with each other and with the resumptions of `next`: of two on the same work the higher
    /// number counts.
    enum Order {
        /// No task needs the work.
        case stop(Work)
        /// Stop reading the body; keep the connection.
        case pause(Work, number: UInt64)
        /// The pause lasts: give the connection up and keep the bytes, if a range request can bring the rest.
        case release(Work, JobTicket, number: UInt64)
        /// The transfer has become more or less urgent.
        case prioritise(Work, Int, number: UInt64)
    }
}
