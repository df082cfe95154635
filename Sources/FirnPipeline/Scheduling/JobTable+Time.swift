// What happens by itself.
extension JobTable {
    /// When something changes by itself; the shell then calls `next`.
    var deadline: Moment? {
        var moment = timer
        if queues.count(.network) > 0, !limits.isSuspended, !limits.suspended.contains(StageSet(.transfer)),
            let refilled = limiter.refilledAt
        {
            moment = min(moment, refilled)
        }
        return moment == .max ? nil : moment
    }

    /// Takes note of the time.
    mutating func tick(now: Moment) {
        own()
        advance(to: now)
    }

    @inline(__always)
    mutating func advance(to now: Moment) {
        clock = max(clock, now)
        limiter.fill(now: clock)
        if clock >= timer { lookAtTransfers() }
    }

    /// Lets connections go of transfers that have been paused for long, has those that failed asked again, and stops those that linger for too long.
    private mutating func lookAtTransfers() {
        timer = .max
        for index in 0..<transfers.count {
            guard transfers[index].until <= clock else {
                timer = min(timer, transfers[index].until)
                continue
            }
            transfers[index].until = .max
            let job = transfers[index].job
            guard jobs[job].phase != .abandoned, let work = jobs[job].work else { continue }
            if transfers[index].isWaiting {
                transfers[index].isWaiting = false
                list(job)
            } else if transfers[index].isHeld {
                transfers[index].isReleased = true
                orderNumber += 1
                orders.append(.release(work, ticket(ofJob: job), number: orderNumber))
            } else if transfers[index].isLingering {
                transfers[index].isLingering = false
                orders.append(.stop(work))
                abandon(job)
            }
        }
    }
}
