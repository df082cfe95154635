extension Int64 {
    /// The most by which an entry may seem to come from the future, since processes with different clocks can share a
    /// folder: a minute.
    private static let clockSkew: Int64 = 60_000_000_000

    /// Whether this time is more than `age` before `moment`. All are nanoseconds.
    func isOlder(than age: Int64, at moment: Int64) -> Bool {
        moment.subtractingReportingOverflow(self).partialValue > age
    }

    /// Whether an entry that was created at this time has an age above `age`, or an unknown one, since it was created
    /// while the clock was ahead.
    func isExpired(after age: Int64, at moment: Int64) -> Bool {
        isOlder(than: age, at: moment) || isFromFuture(at: moment)
    }

    /// Whether this time is so far after `moment` that the clock was ahead.
    func isFromFuture(at moment: Int64) -> Bool {
        let (distance, overflow) = subtractingReportingOverflow(moment)
        return overflow ? self > moment : distance > Int64.clockSkew
    }
}
