// Changes that are due at a time.
extension JobTable {
    /// The time of the next timed change, at which the shell calls `next`; `nil` for none.
    var deadline: Moment? {
        var moment = timer
        if queues.count(.network) > 0, !limits.isSuspended, !limits.suspended.contains(StageSet(.transfer)),
            let refilled = limiter.refilledAt
        {
            moment = min(moment, refilled)
        }
        return moment == .max ? nil : moment
    }

    /// Advances the time and makes the changes that are due. Called first by every event that has a time.
    @inline(__always)
    mutating func tick(now: Moment) {
        own()
        clock = max(clock, now)
        limiter.fill(now: clock)
        if clock >= timer { lookAtTransfers() }
    }

    /// Runs an early decode again at `moment` if no bytes arrive until then, because a preview is worth making then.
    mutating func lookAgain(_ ticket: JobTicket, at moment: Moment) {
        own()
        guard let job = job(ticket), jobs[job].traits.contains(.isEarly), jobs[job].parent >= 0 else { return }
        let transfer = Int(jobs[jobs[job].parent].transfer)
        guard transfer >= 0 else { return }
        transfers[transfer].lookAt = min(transfers[transfer].lookAt, moment)
        timer = min(timer, moment)
    }

    /// The expected time to the end of the transfer of an early decode; `nil` while its rate is unknown.
    mutating func timeLeft(for ticket: JobTicket, now: Moment) -> Moment? {
        guard let job = job(ticket), jobs[job].parent >= 0, jobs[jobs[job].parent].transfer >= 0 else { return nil }
        return transfers[Int(jobs[jobs[job].parent].transfer)].timeLeft(now: now)
    }

    /// Releases the connections of transfers that have been paused for long, retries failed transfers, and stops
    /// transfers without tasks that take too long.
    private mutating func lookAtTransfers() {
        timer = .max
        for index in 0..<transfers.count {
            let job = transfers[index].job
            if transfers[index].lookAt <= clock {
                transfers[index].lookAt = .max
                wakeEarly(of: job)
                if jobs[job].traits.contains(.wantsEarly) { orders.append(.look(ticket(ofJob: job))) }
            }
            timer = min(timer, transfers[index].lookAt)
            guard transfers[index].until <= clock else {
                timer = min(timer, transfers[index].until)
                continue
            }
            transfers[index].until = .max
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
                abandon(job)
            }
        }
    }
}

/// A point in time: nanoseconds of a monotonic clock. The table receives it and reads no clock.
typealias Moment = Int64
