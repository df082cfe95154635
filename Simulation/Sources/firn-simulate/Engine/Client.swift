/// The state of a task as its caller sees it: the request and its outcome.
struct Client {
    var key: Int
    var plan: Plan
    var level: Int
    var isPaused = false
    var ticket = JobTicket.none
    /// The fetch that the task depends on; `nil` once it has ended.
    var root: Work?
    /// True if the task has the image of the first bytes and does not need the rest.
    var isBeyondFetch = false
    let started: Moment
    var ended: Moment?
    var succeeded = false
    /// True if the task was ended by its own cancellation.
    var isCancelled = false
}
