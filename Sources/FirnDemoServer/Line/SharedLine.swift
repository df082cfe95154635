/// Computes when bytes pass a line of limited bandwidth that several transfers share.
///
/// Invariant: bytes pass one after the other, in the order of the calls, and never faster than the
/// bandwidth. So every transfer gets its share, and unused bandwidth is not saved. Reads no clock.
package struct SharedLine {
    /// Bits per second; `nil` for no limit.
    package let bitsPerSecond: Int?
    private var freeAt: Duration = .zero

    package init(bitsPerSecond: Int?) {
        self.bitsPerSecond = bitsPerSecond.map { max(1, $0) }
    }

    /// Sends bytes at `now`, a time since some fixed moment, and returns when the last of them has passed.
    package mutating func send(_ count: Int, at now: Duration) -> Duration {
        guard let bitsPerSecond else { return now }
        freeAt = max(freeAt, now) + .seconds(Double(count) * 8 / Double(bitsPerSecond))
        return freeAt
    }
}
