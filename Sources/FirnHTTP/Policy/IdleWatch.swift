import FirnSync

/// Measures the time without received bytes. Moments and spans are in nanoseconds; the caller passes the moment.
package struct IdleWatch: Equatable {
    package var limit: Int64
    private var last: Int64?

    package init(limit: Int64) { self.limit = limit }

    /// Records received bytes, or the start of counting.
    package mutating func touch(_ now: Int64) { last = now }

    /// Stops counting: nothing is expected.
    package mutating func stop() { last = nil }

    /// Whether counting is on.
    package var isCounting: Bool { last != nil }

    /// The deadline for the next byte; `nil` if counting is off.
    package var deadline: Int64? { last.map { $0.saturatingAdd(limit) } }
}
