/// The effects' side of a job, as `JobWork` is in the engine, with what the checks have to know of it.
final class Work {
    /// Where it is, as seen from outside of the table.
    enum State { case queued, running, parked, over }

    let key: Int
    /// The steps that are done once it is over; none for bytes.
    let plan: Plan
    /// The fetch at the beginning of its way; `nil` if this is it.
    let root: Work?
    /// What it works on.
    let parent: Work?
    let host: Int
    var stage: JobStage
    var state = State.queued
    var ticket = JobTicket.none
    /// The place in the order of all that were ever queued in a stage.
    var place = 0
    /// How many starts of its stage there had been when it was queued, and how many waited before it.
    var startsBefore = 0
    var aheadAtFirst = 0
    /// Whether its place among equals is not known from outside, because who waits for it has changed.
    var isReordered = false
    /// Told to stop; nobody may get anything of it.
    var isStopped = false
    /// Whether the order to stop has been given, though not performed yet.
    var isToStop = false
    var succeeded = false
    /// Made while what it works on was still arriving.
    var isEarly = false
    var hasAskedMemory = false
    var memory = 0
    /// Bytes that an early decode has used so far.
    var used = 0
    /// Whether the table has it paused. Not the same as whether it is paused yet.
    var isHeld = false
    /// Whether it has taken its token, because it was paused.
    var isCharged = false
    /// The level that it started with or was told since.
    var toldLevel = 0
    /// Started out of turn, so that it does not wait forever.
    var isExcused = false
    /// Nobody waits, and yet it is let finish.
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

/// Counts the works that exist.
final class Census {
    var alive = 0
}
