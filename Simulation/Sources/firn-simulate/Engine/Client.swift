/// A task's side: what was asked, and what came of it.
struct Client {
    let key: Int
    let plan: Plan
    var level: Int
    var isPaused = false
    var ticket = JobTicket.none
    /// The fetch it hangs on; `nil` once it has ended.
    var root: Work?
    /// It has the image of the first bytes, and does not wait for the others.
    var isBeyondFetch = false
    let started: Moment
    var ended: Moment?
    var succeeded = false
    /// Ended by its own cancel.
    var isCancelled = false
}
