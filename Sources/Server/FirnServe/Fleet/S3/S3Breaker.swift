/// Stops requests to a store that has failed several times in a row. A pure value: the caller passes the time.
///
/// States: closed (all pass); open (none passes until a time); then one passes, and its result closes or opens it.
package struct S3Breaker: Sendable, Equatable {
    /// The failures in a row that open it.
    package let threshold: Int
    /// The time for which it stays open at first, and at most. It doubles with each failure.
    package let pauses: ClosedRange<Duration>
    private var failures = 0
    private var pause: Duration
    private var closedUntil: Duration?

    package init(threshold: Int, pauses: ClosedRange<Duration>) {
        self.threshold = max(1, threshold)
        self.pauses = pauses
        pause = pauses.lowerBound
    }

    /// True if requests are refused, except single ones that find out about the store.
    package var isOpen: Bool { closedUntil != nil }

    /// Returns whether a request may be sent now. If it is the one that finds out, no other passes for another pause.
    package mutating func permits(at now: Duration) -> Bool {
        guard let closedUntil else { return true }
        guard now >= closedUntil else { return false }
        self.closedUntil = now + pause
        return true
    }

    /// - Returns: whether this closed it.
    package mutating func recordSuccess() -> Bool {
        let wasOpen = isOpen
        self = S3Breaker(threshold: threshold, pauses: pauses)
        return wasOpen
    }

    /// - Returns: whether this opened it.
    package mutating func recordFailure(at now: Duration) -> Bool {
        failures = min(failures + 1, threshold)
        guard failures >= threshold else { return false }
        let wasOpen = isOpen
        if wasOpen { pause = min(pause * 2, pauses.upperBound) }
        closedUntil = now + pause
        return !wasOpen
    }
}
