/// When bytes have got through a line of limited width that several transfers share.
///
/// Invariant: bytes pass one after the other, in the order in which they were handed over, and never faster than the
/// line is wide; so every transfer gets its share, and none saves up for later. Reads no clock.
package struct SharedLine {
    /// Bits a second; `nil` for a line without limit.
    package let bitsPerSecond: Int?
    private var freeAt: Duration = .zero

    package init(bitsPerSecond: Int?) {
        self.bitsPerSecond = bitsPerSecond.map { max(1, $0) }
    }

    /// Hands bytes over at `now`, a time since some fixed moment, and returns when the last of them is through.
    package mutating func send(_ count: Int, at now: Duration) -> Duration {
        guard let bitsPerSecond else { return now }
        freeAt = max(freeAt, now) + .seconds(Double(count) * 8 / Double(bitsPerSecond))
        return freeAt
    }
}
