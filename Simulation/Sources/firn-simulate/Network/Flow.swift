/// One body in transit over a link.
final class Flow {
    unowned let work: Work
    let total: Double
    /// Bytes that have arrived at this machine, read or unread.
    var delivered: Double
    /// The position at which the sender currently stops: the end of the body, or the end of the bytes in flight when
    /// reading was paused.
    var end: Double
    /// The next position that is reported to the engine.
    var mark: Double
    /// The maximum number of bytes that the sender keeps in flight.
    var window: Double
    var rate = 0.0
    /// True if the sender was requested to continue and its bytes have not arrived yet.
    var isBlocked = false
    /// True if the flow is no longer read. Bytes in flight still arrive.
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
