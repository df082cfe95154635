extension Int64 {
    /// Whether this time is more than `age` before `moment`. All are nanoseconds.
    func isOlder(than age: Int64, at moment: Int64) -> Bool {
        moment.subtractingReportingOverflow(self).partialValue > age
    }
}
