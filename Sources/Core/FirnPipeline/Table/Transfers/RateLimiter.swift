/// A token bucket for starts of transfers that do not run to their end.
///
/// A start needs a token in the bucket but leaves it there. A transfer takes a token if it is cancelled or paused,
/// and returns the token of a pause if it then runs to its end. So a list that is scrolled fast, which starts and
/// cancels transfers, is slowed down, and throughput is not, however many transfers run.
///
/// Order: a transfer takes its token when it is paused, not when it is cancelled later. Otherwise a list that pauses
/// the transfers of hidden rows could start hundreds of them. Their bytes in flight would fill the connection, and a
/// request after their cancellation would wait until the bucket has been refilled for all of them. A resumed transfer
/// does not return its token at once: with it, the transfer for which this one is paused would start again, in an
/// endless loop.
struct RateLimiter {
    private var rate: TransferRate?
    private var tokens = 0.0
    private var filledAt: Moment = 0

    init(_ rate: TransferRate?) {
        self.rate = rate
        tokens = rate?.burst ?? 0
    }

    /// Changes the rate. Drops tokens above the new burst.
    mutating func set(_ rate: TransferRate?) {
        if self.rate == nil { tokens = rate?.burst ?? 0 }
        self.rate = rate
        tokens = min(tokens, rate?.burst ?? 0)
    }

    /// Adds the tokens for the time since the last call.
    mutating func fill(now: Moment) {
        defer { filledAt = now }
        guard let rate, tokens < rate.burst else { return }
        tokens = min(rate.burst, tokens + Double(now - filledAt) * rate.perSecond / 1e9)
    }

    /// True if a transfer may start.
    var hasToken: Bool { rate == nil || tokens >= 1 }

    /// Takes a token for a transfer that was cancelled or paused.
    mutating func take() { if rate != nil { tokens -= 1 } }

    /// Returns the token of a paused transfer that has run to its end.
    mutating func giveBack() { if let rate { tokens = min(rate.burst, tokens + 1) } }

    /// The time at which there is a token again; `nil` if there is one now or never.
    var refilledAt: Moment? {
        guard let rate, tokens < 1, rate.perSecond > 0 else { return nil }
        let wait = (1 - tokens) / rate.perSecond * 1e9
        return filledAt + Moment(min(wait, 1e15).rounded(.up)) + 1
    }
}
