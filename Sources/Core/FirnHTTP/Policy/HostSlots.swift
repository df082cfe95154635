/// Slots for transfers: at most `limit` per host and `total` overall, first come first served.
///
/// Invariant: a host has waiters only while at least `limit` transfers run there, or `total` overall.
package struct HostSlots<Host: Hashable, Waiter> {
    /// Identifies a waiter, for ``withdraw(_:from:)``.
    package typealias Ticket = Int

    private struct Line {
        var running = 0
        // Order: tickets only grow, so the lowest is the oldest. Withdrawn waiters are skipped.
        var tickets: ArraySlice<Ticket> = []
        var waiters: [Ticket: Waiter] = [:]
    }

    package let limit: Int
    package let total: Int
    private var running = 0
    private var lines: [Host: Line] = [:]
    private var lastTicket: Ticket = 0

    package init(limit: Int, total: Int = .max) {
        self.limit = max(1, limit)
        self.total = max(1, total)
    }

    /// Takes a slot and returns `nil`, or joins the queue and returns a ticket.
    package mutating func enter(_ host: Host, _ waiter: @autoclosure () -> Waiter) -> Ticket? {
        if running < total, lines[host, default: Line()].running < limit {
            reenter(host)
            return nil
        }
        lastTicket &+= 1
        lines[host, default: Line()].tickets.append(lastTicket)
        lines[host]?.waiters[lastTicket] = waiter()
        return lastTicket
    }

    /// Takes a slot even if all are taken, for a transfer that released its slot while paused.
    package mutating func reenter(_ host: Host) {
        running += 1
        lines[host, default: Line()].running += 1
    }

    /// Releases a slot. Returns the waiter that gets it.
    package mutating func leave(_ host: Host) -> Waiter? {
        guard let index = lines.index(forKey: host) else { return nil }
        running -= 1
        lines.values[index].running -= 1
        if total == .max, lines.values[index].waiters.isEmpty {
            if lines.values[index].running <= 0 { lines.remove(at: index) }
            return nil
        }
        defer { forget(host) }
        guard running < total else { return nil }
        if total == .max { return next(at: host) }
        // The longest waiting transfer whose host has a free slot.
        let ready = lines.filter { $0.value.running < limit && !$0.value.waiters.isEmpty }
        let first = ready.min { ($0.value.waiters.keys.min() ?? .max) < ($1.value.waiters.keys.min() ?? .max) }
        return first.flatMap { next(at: $0.key) }
    }

    private mutating func next(at host: Host) -> Waiter? {
        guard var line = lines[host], line.running < limit else { return nil }
        // Order: removed from the table during the change, so nothing is copied.
        lines[host] = nil
        defer { lines[host] = line }
        while let ticket = line.tickets.popFirst() {
            guard let waiter = line.waiters.removeValue(forKey: ticket) else { continue }
            line.running += 1
            running += 1
            return waiter
        }
        return nil
    }

    private mutating func forget(_ host: Host) {
        if let line = lines[host], line.running <= 0, line.waiters.isEmpty { lines[host] = nil }
    }

    package mutating func withdraw(_ ticket: Ticket, from host: Host) {
        lines[host]?.waiters[ticket] = nil
        forget(host)
    }

    /// Returns the number of running and waiting transfers of a host, for tests and inspection.
    package func count(_ host: Host) -> (running: Int, waiting: Int) {
        (lines[host]?.running ?? 0, lines[host]?.waiters.count ?? 0)
    }
}
