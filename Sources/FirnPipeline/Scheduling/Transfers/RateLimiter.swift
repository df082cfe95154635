/// A token bucket for starts of transfers that do not run to their end.
///
/// A start needs a token in the bucket but leaves it there; only a transfer that is cancelled takes one out, or one
/// that is paused, which gives it back if it runs to its end after all. So a list that is scrolled fast, which starts
/// and gives up, is slowed down, and throughput never is, however many transfers are under way.
///
/// Order: a transfer takes its token when it is paused, not when it is cancelled later. Otherwise a list that pauses
/// what scrolls away could start hundreds of transfers. Their bytes in flight would fill the line, and a request
/// made when they are cancelled would wait until the bucket has been refilled for all of them. A resumed transfer does
/// not return its token: with it, the transfer for which this one is paused would start again, without end.
struct RateLimiter {
    private var rate: TransferRate?
    private var tokens = 0.0
    private var filledAt: Moment = 0

    init(_ rate: TransferRate?) {
        self.rate = rate
        tokens = rate?.burst ?? 0
    }

    /// Changes the rate. The bucket holds no more than the new one lets it.
    mutating func set(_ rate: TransferRate?) {
        if self.rate == nil { tokens = rate?.burst ?? 0 }
        self.rate = rate
        tokens = min(tokens, rate?.burst ?? 0)
    }

    /// Fills the bucket as far as time allows.
    mutating func fill(now: Moment) {
        guard let rate, tokens < rate.burst else {
            filledAt = now
            return
        }
        tokens = min(rate.burst, tokens + Double(now - filledAt) * rate.perSecond / 1e9)
        filledAt = now
    }

    /// Whether a transfer may start.
    var hasToken: Bool { rate == nil || tokens >= 1 }

    /// A transfer did not run to its end.
    mutating func take() { if rate != nil { tokens -= 1 } }

    /// A transfer that was paused has run to its end.
    mutating func giveBack() { if let rate { tokens = min(rate.burst, tokens + 1) } }

    /// When there is a token again; `nil` if that is now or never.
    var refilledAt: Moment? {
        guard let rate, tokens < 1, rate.perSecond > 0 else { return nil }
        let wait = (1 - tokens) / rate.perSecond * 1e9
        return filledAt + Moment(min(wait, 1e15).rounded(.up)) + 1
    }
}
