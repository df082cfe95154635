import FirnSync

/// Work that is due at times of the monotonic clock, in nanoseconds.
///
/// A queue in order of time. Cancelled entries stay until due, without their work.
struct TimerQueue {
    typealias Ticket = UInt64

    private var line: [(moment: Int64, ticket: Ticket)] = []
    private var works: [Ticket: () -> Void] = [:]
    private var lastTicket: Ticket = 0

    /// The time of the next entry, cancelled or not; `nil` if there is none.
    var next: Int64? { line.first?.moment }

    mutating func add(_ moment: Int64, _ work: @escaping () -> Void) -> Ticket {
        lastTicket &+= 1
        works[lastTicket] = work
        line.insert((moment, lastTicket), at: line.firstPlace { $0.moment > moment })
        return lastTicket
    }

    mutating func cancel(_ ticket: Ticket) {
        works[ticket] = nil
        if line.count > 64, line.count > works.count * 2 { line.removeAll { works[$0.ticket] == nil } }
    }

    /// Takes the next work that is due. One at a time, since each may add or cancel others.
    mutating func take(until now: Int64) -> (() -> Void)? {
        while let first = line.first, first.moment <= now {
            line.removeFirst()
            if let work = works.removeValue(forKey: first.ticket) { return work }
        }
        return nil
    }
}
