import FirnSync

/// Slots for transfers: at most `limit` per host and `total` overall, first come first served.
///
/// Invariant: a host has waiters only while at least `limit` transfers run there, or `total` overall.
package struct HostSlots<Host: Hashable, Waiter> {
    /// Identifies a waiter, for ``withdraw(_:)``.
    package typealias Ticket = Int

    package let limit: Int
    package let total: Int
    private var running = 0
    /// The number of running transfers of each host that has some.
    private var counts: [Host: Int] = [:]
    // Order: tickets only grow, so the first waiter is the oldest.
    private var waiting: [(ticket: Ticket, host: Host, waiter: Waiter)] = []
    private var lastTicket: Ticket = 0

    package init(limit: Int, total: Int = .max) {
        self.limit = max(1, limit)
        self.total = max(1, total)
    }

    /// Takes a slot and returns `nil`, or joins the queue and returns a ticket.
    package mutating func enter(_ host: Host, _ waiter: Waiter) -> Ticket? {
        if running < total, counts[host, default: 0] < limit {
            reenter(host)
            return nil
        }
        lastTicket &+= 1
        waiting.append((lastTicket, host, waiter))
        return lastTicket
    }

    /// Takes a slot even if all are taken, for a transfer that released its slot while paused.
    package mutating func reenter(_ host: Host) {
        running += 1
        counts[host, default: 0] += 1
    }

    /// Releases a slot. Returns the waiter that gets it: the longest waiting one whose host has a free slot.
    package mutating func leave(_ host: Host) -> Waiter? {
        guard let count = counts[host] else { return nil }
        running -= 1
        counts[host] = count > 1 ? count - 1 : nil
        guard running < total, let next = waiting.firstIndex(where: { counts[$0.host, default: 0] < limit }) else {
            return nil
        }
        let started = waiting.remove(at: next)
        reenter(started.host)
        return started.waiter
    }

    package mutating func withdraw(_ ticket: Ticket) {
        let place = waiting.firstPlace { $0.ticket >= ticket }
        if place < waiting.count, waiting[place].ticket == ticket { waiting.remove(at: place) }
    }

    /// Returns the number of running and waiting transfers of a host, for tests and inspection.
    package func count(_ host: Host) -> (running: Int, waiting: Int) {
        (counts[host, default: 0], waiting.count { $0.host == host })
    }
}
