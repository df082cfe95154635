/// Saturating arithmetic, for times from outside.
extension Int64 {
    /// Returns the sum, clamped to the range of the type.
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// Returns the difference, clamped to the range of the type.
    package func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }

    /// Returns the product, clamped to the range of the type.
    package func multipliedClamped(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }

    /// The most nanoseconds by which a stored time may seem to come from the future, since clocks that share a cache
    /// differ a little: a minute.
    package static let clockSkew: Int64 = 60_000_000_000

    /// Returns whether this time is so far after `moment` that the clock was ahead when it was noted.
    package func isFromFuture(at moment: Int64) -> Bool { subtractingClamped(moment) > Int64.clockSkew }
}
