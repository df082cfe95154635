package import NIOCore

/// Measures the time without received bytes. The caller passes the time.
package struct IdleWatch: Equatable {
    package var limit: TimeAmount
    private var last: NIODeadline?

    package init(limit: TimeAmount) { self.limit = limit }

    /// Records received bytes, or the start of counting.
    package mutating func touch(_ now: NIODeadline) { last = now }

    /// Stops counting: nothing is expected.
    package mutating func stop() { last = nil }

    /// Whether counting is on.
    package var isCounting: Bool { last != nil }

    /// The deadline for the next byte; `nil` if counting is off.
    package var deadline: NIODeadline? { last.map { $0 + limit } }
}
