package import NIOCore

/// Whether a body comes too slowly: fewer bytes than its share within a span of time. Times are given to it; it reads no clock.
///
/// A span begins with the body and whenever the share of the last one is complete. Time in which the meter is stopped does
/// not count.
package struct SpeedMeter: Equatable {
    /// The least bytes in a span; 0 for no limit.
    package let share: Int
    package let span: TimeAmount
    private var bytes = 0
    private var elapsed = TimeAmount.zero
    private var since: NIODeadline?

    /// - Parameters:
    ///   - limit: bytes a second.
    ///   - span: how long fewer may come.
    package init(limit: Int, span: TimeAmount) {
        let seconds = Double(span.nanoseconds) / 1_000_000_000
        share = Int(min(max(0, Double(limit) * seconds).rounded(.up), 1e15))
        self.span = span
    }

    /// Time counts from now on.
    package mutating func start(_ now: NIODeadline) {
        if since == nil { since = now }
    }

    /// Time does not count until the next start.
    package mutating func stop(_ now: NIODeadline) {
        guard let since else { return }
        elapsed = elapsed + max(.zero, now - since)
        self.since = nil
    }

    /// Bytes have come.
    package mutating func take(_ count: Int, _ now: NIODeadline) {
        let (sum, overflow) = bytes.addingReportingOverflow(max(0, count))
        bytes = overflow ? .max : sum
        guard bytes >= share else { return }
        bytes = 0
        elapsed = .zero
        if since != nil { since = now }
    }

    /// When it is too slow, unless bytes come; `nil` while no time counts.
    package var deadline: NIODeadline? {
        guard share > 0, let since else { return nil }
        return since + max(.zero, span - elapsed)
    }
}
