// What goes in and out.
extension JobTable {
    /// A new root's work, and what the table has to know of it.
    struct Root {
        var work: Work
        /// The stage it begins in.
        var stage: JobStage
        /// The host of its bytes; `nil` if no network is needed: no limit per host, no rate limit, no pauses.
        var host: HostKey?
        /// Whether its bytes could be kept in the data cache, so that they are useful even if no task waits.
        var mayKeep = false
    }

    /// What becomes of a task that is added.
    enum Admission {
        /// It waits; this names it.
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
        /// The job is a paused transfer that goes on.
        var isResumption = false
        /// Overrides orders with lower numbers, in whatever order they are performed.
        var number: UInt64 = 0
    }

    /// How a started job came out.
    enum Outcome {
        /// Its work holds the product; what waited for it goes on from there.
        case finished
        /// It goes on in another stage.
        case moves(JobStage)
        /// It has no product. All waiting tasks fail.
        case failed
        /// A decode has used up the bytes there are, and goes on when there are more.
        case starved
    }

    /// What is left to do once a job has ended.
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
