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

    /// When it is too long; `nil` when not counting.
    package var deadline: NIODeadline? { last.map { $0 + limit } }
}
