/// One body on its way over a link.
final class Flow {
    unowned let work: Work
    let total: Double
    /// Bytes that have arrived at this machine, read or not.
    var delivered: Double
    /// Where the sender stops for now: at the end of the body, or at what was in flight when reading was paused.
    var end: Double
    /// What the engine wants to be told of next.
    var mark: Double
    /// Bytes that the sender lets be on their way at once.
    var window: Double
    var rate = 0.0
    /// The sender has been told to go on, and what it sends is not here yet.
    var isBlocked = false
    /// Nobody reads it any more; what is in flight arrives all the same.
    var isDiscarded = false

    init(_ work: Work, from start: Int, to total: Int, window: Double) {
        self.work = work
        delivered = Double(start)
        self.total = Double(total)
        end = Double(total)
        mark = Double(start)
        self.window = window
    }

    var isActive: Bool { delivered < end && !isBlocked }
}
