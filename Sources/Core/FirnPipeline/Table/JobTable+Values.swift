// Arguments and results.
extension JobTable {
    /// The work of a new root, and its properties for scheduling.
    struct Root {
        var work: Work
        var stage: JobStage
        /// The host of its bytes; `nil` if no network is needed. Without it there is no limit per host, no rate limit
        /// and no pause.
        var host: HostKey?
        /// True if its bytes can be stored in the data cache, so that they are useful even without waiting tasks.
        var mayKeep = false
        /// The root that its tasks move to if this look-up finds nothing; `nil` for a root that is no look-up. Roots
        /// that are look-ups must not lead to each other.
        var leadsTo: Key?
    }

    enum Admission {
        /// The task waits and has this ticket.
        case waits(JobTicket)
        /// Its last step has already been done for another task. It ends with the product of this work.
        case finished(Work?)
    }

    struct Start {
        let ticket: JobTicket
        let work: Work
        let stage: JobStage
        var level = 0
        /// True if the job is a paused transfer that resumes.
        var isResumption = false
        /// Overrides orders with lower numbers, in whatever order they are performed.
        var number: UInt64 = 0
    }

    enum Outcome {
        /// Its work holds the product; the tasks that waited for it continue with it.
        case finished
        /// It continues in another stage. Fails if no task waits for it.
        case moves(JobStage)
        /// It has no product. All waiting tasks fail.
        case failed
        /// A decode has read all bytes so far, and continues when there are more.
        case starved
    }

    /// An order for running work. The shell performs it without its lock.
    ///
    /// Orders of several critical sections may be performed concurrently. So orders that can revoke each other are
    /// numbered, together with the resumptions of `next`. Of two for the same work, the higher number counts.
    enum Order {
        /// No task needs the work.
        case stop(Work)
        /// Stop reading the body; keep the connection.
        case pause(Work, number: UInt64)
        /// The pause lasts: close the connection and keep the bytes, if a range request can fetch the rest.
        case release(Work, JobTicket, number: UInt64)
        /// No bytes have arrived for a long time, so a preview of the bytes so far may be worth its decode.
        case look(JobTicket)
        case prioritise(Work, Int, number: UInt64)
        /// Bodies hold too many bytes: stop reading, and keep the slot.
        case stall(Work, number: UInt64)
        /// Read again.
        case proceed(Work, number: UInt64)
    }
}

/// Identifies a job or a task of a ``JobTable``. Ignored once that job or task has ended.
struct JobTicket: Hashable, Sendable {
    let index: Int32
    let generation: UInt32

    static let none = JobTicket(index: -1, generation: 0)
}

/// The stage of a job. ``QueueKind`` has the order in which the stages of a level start.
enum JobStage: UInt8, CaseIterable, Sendable {
    case process, decode, read, transfer, preview, store

    static let count = 6

    /// True if no task waits for jobs of this stage.
    var isDetached: Bool { self == .preview || self == .store }
}
