/// A circuit breaker: stops requests to a store after consecutive failures. A pure value; the caller passes the time.
///
/// States: closed (all requests pass); open (none passes until a time); half-open (one passes, and its result closes or
/// opens the breaker).
struct StoreBreaker: Sendable, Equatable {
    /// The number of consecutive failures that open it.
    let threshold: Int
    /// The first and the longest time for which it stays open. The time doubles with each failure.
    let pauses: ClosedRange<Duration>
    private var failures = 0
    private var pause: Duration
    private var closedUntil: Duration?

    init(threshold: Int, pauses: ClosedRange<Duration>) {
        self.threshold = max(1, threshold)
        self.pauses = pauses
        pause = pauses.lowerBound
    }

    /// True if requests are refused, apart from single probes.
    var isOpen: Bool { closedUntil != nil }

    /// Returns whether a request may be sent now. If it is a probe, no other request passes during another pause.
    mutating func permits(at now: Duration) -> Bool {
        guard let closedUntil else { return true }
        guard now >= closedUntil else { return false }
        self.closedUntil = now + pause
        return true
    }

    mutating func record(isFailure: Bool, at now: Duration) {
        guard isFailure else { return self = StoreBreaker(threshold: threshold, pauses: pauses) }
        failures = min(failures + 1, threshold)
        guard failures >= threshold else { return }
        if isOpen { pause = min(pause * 2, pauses.upperBound) }
        closedUntil = now + pause
    }
}
