import FirnSync

/// Detects a body that arrives too slowly: fewer bytes than a minimum within a time span. Times are in nanoseconds,
/// passed by the caller.
///
/// A span starts with the body, and again whenever the minimum is reached. Time while the meter is stopped does not
/// count.
package struct SpeedMeter: Equatable {
    /// Minimum number of bytes in a span; 0 for no limit.
    package let share: Int
    package let span: Duration
    private var bytes = 0
    private var elapsed: Int64 = 0
    private var since: Int64?

    /// - Parameters:
    ///   - limit: bytes per second.
    ///   - span: the time within which the minimum must arrive.
    package init(limit: Int, span: Duration) {
        let seconds = Double(span.nanoseconds) / 1_000_000_000
        share = Int(min(max(0, Double(limit) * seconds).rounded(.up), 1e15))
        self.span = span
    }

    package mutating func start(_ now: Int64) {
        if since == nil { since = now }
    }

    package mutating func stop(_ now: Int64) {
        guard let since else { return }
        elapsed = elapsed.saturatingAdd(max(0, now - since))
        self.since = nil
    }

    package mutating func take(_ count: Int, _ now: Int64) {
        bytes = bytes.saturatingAdd(max(0, count))
        guard bytes >= share else { return }
        bytes = 0
        elapsed = 0
        if since != nil { since = now }
    }

    /// When the body becomes too slow unless bytes arrive; `nil` while stopped.
    package var deadline: Int64? {
        guard share > 0, let since else { return nil }
        return since.saturatingAdd(max(0, span.nanoseconds - elapsed))
    }
}
