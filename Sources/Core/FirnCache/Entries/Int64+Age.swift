import FirnData

extension Int64 {
    /// Returns whether this time is more than `age` before `moment`. All are nanoseconds.
    func isOlder(than age: Int64, at moment: Int64) -> Bool {
        moment.subtractingReportingOverflow(self).partialValue > age
    }

    /// Returns whether an entry that was created at this time has an age above `age`, or an unknown one, since it was
    /// created while the clock was ahead.
    func isExpired(after age: Int64, at moment: Int64) -> Bool {
        isOlder(than: age, at: moment) || isFromFuture(at: moment)
    }
}
