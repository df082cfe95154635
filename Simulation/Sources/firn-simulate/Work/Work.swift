/// The work of a job, as `EngineJob` is in the engine, with the state that the checks need.
final class Work {
    /// The job's state as seen from outside the table.
    enum State { case queued, running, parked, over }

    let key: Int
    /// The steps that are done once the job is over; none for a fetch.
    let plan: Plan
    /// The fetch that the job depends on; `nil` if this is the fetch.
    let root: Work?
    /// The job that provides the input.
    let parent: Work?
    let host: Int
    /// The key to which a look-up may lead; `nil` for a fetch that is no look-up.
    var leadsTo: Int?
    /// True if the bytes are in a file.
    var isFile: Bool { root == nil && host < 0 && !transfer.isImmediate && !stage.isDetached }
    /// The number of the file's file system.
    var fileSystem: Int { key % 2 }
    var stage: JobStage
    var state = State.queued
    var ticket = JobTicket.none
    /// The position in the order of all jobs that were ever queued in a stage.
    var place = 0
    /// The number of earlier starts of its stage when it was queued, and the number of jobs queued before it.
    var startsBefore = 0
    var aheadAtFirst = 0
    /// True if its order among equals is unknown from outside, because the waiting tasks have changed.
    var isReordered = false
    /// True if nothing keeps the finished fetch in the table, so that later tasks need another one.
    var isGone = false
    /// True if the job was stopped; its result must reach no task.
    var isStopped = false
    /// True if the table has ordered the stop, performed or not.
    var isToStop = false
    var succeeded = false
    /// True if the source refused the request, so that the job shows the stale image and fails.
    var isRefused = false
    /// True if the job was created while its input was still arriving.
    var isEarly = false
    var hasAskedMemory = false
    var memory = 0
    /// Bytes that an early decode has used so far.
    var used = 0
    /// True if the table has paused the job, even if the pause has not been performed yet.
    var isHeld = false
    /// True if the table has told the transfer not to read, because bodies hold too many bytes.
    var isStalled = false
    /// True if the job has taken its token because it was paused.
    var isCharged = false
    /// The level of its start or of the latest order.
    var toldLevel = 0
    /// True if the job was started by force, to prevent starvation.
    var isExcused = false
    /// True if no task waits for the job and it is allowed to finish.
    var isLingering = false
    var transfer: Transfer
    private let census: Census

    init(key: Int, plan: Plan, parent: Work?, host: Int, stage: JobStage, transfer: Transfer, census: Census) {
        self.key = key
        self.plan = plan
        self.parent = parent
        root = parent?.root ?? parent
        self.host = host
        self.stage = stage
        self.transfer = transfer
        self.census = census
        isEarly = parent.map { $0.state != .over } ?? false
        census.alive += 1
    }

    deinit { census.alive -= 1 }
}

/// Counts the living instances of `Work`.
final class Census {
    var alive = 0
}
