/// Who may run, of those who want to talk to the same host: at most `limit`, first come first served.
///
/// Invariant: a host has waiters only while at least `limit` run there.
package struct HostSlots<Host: Hashable, Waiter> {
    /// Names a waiter, for ``withdraw(_:from:)``.
    package typealias Ticket = Int

    private struct Line {
        var running = 0
        // Order: tickets only grow, so the least is the oldest; those of withdrawn waiters are skipped.
        var tickets: ArraySlice<Ticket> = []
        var waiters: [Ticket: Waiter] = [:]
    }

    package let limit: Int
    private var lines: [Host: Line] = [:]
    private var lastTicket: Ticket = 0

    package init(limit: Int) { self.limit = max(1, limit) }

    /// Takes a place and returns `nil`, or joins the line and returns a ticket.
    package mutating func enter(_ host: Host, _ waiter: @autoclosure () -> Waiter) -> Ticket? {
        if lines[host, default: Line()].running < limit {
            lines[host, default: Line()].running += 1
            return nil
        }
        lastTicket &+= 1
        lines[host]?.tickets.append(lastTicket)
        lines[host]?.waiters[lastTicket] = waiter()
        return lastTicket
    }

    /// Takes a place even if none is free: for one who had given it up.
    package mutating func reenter(_ host: Host) { lines[host, default: Line()].running += 1 }

    /// Gives a place back, and returns who has it now.
    package mutating func leave(_ host: Host) -> Waiter? {
        guard var line = lines[host] else { return nil }
        lines[host] = nil
        defer { if line.running > 0 || !line.waiters.isEmpty { lines[host] = line } }
        line.running -= 1
        guard line.running < limit else { return nil }
        while let ticket = line.tickets.popFirst() {
            guard let waiter = line.waiters.removeValue(forKey: ticket) else { continue }
            line.running += 1
            return waiter
        }
        return nil
    }

    /// Leaves the line.
    package mutating func withdraw(_ ticket: Ticket, from host: Host) {
        lines[host]?.waiters[ticket] = nil
    }

    /// How many run and wait, for tests and for looking on.
    package func count(_ host: Host) -> (running: Int, waiting: Int) {
        (lines[host]?.running ?? 0, lines[host]?.waiters.count ?? 0)
    }
}
