package import NIOCore

/// How long nothing has come. Times are given to it; it reads no clock.
package struct IdleWatch: Equatable {
    package var limit: TimeAmount
    private var last: NIODeadline?

    package init(limit: TimeAmount) { self.limit = limit }

    /// Something came, or counting starts.
    package mutating func touch(_ now: NIODeadline) { last = now }

    /// Counting stops: nothing is expected.
    package mutating func stop() { last = nil }

    /// Whether anything is expected now.
    package var isCounting: Bool { last != nil }

    /// The time that is left at `now`; `nil` when not counting, zero when it is over.
    package func remaining(_ now: NIODeadline) -> TimeAmount? {
        guard let last else { return nil }
        return max(.zero, last + limit - now)
    }
}
