/// A moment as SigV4 writes it: `20130524T000000Z`.
package struct S3Timestamp: Sendable, Equatable {
    /// Date and time in UTC.
    package let text: String
    /// The date alone.
    package var date: String { String(text.prefix(8)) }

    /// Converts seconds since 1970, clamped to the years 1970 to 9999.
    package init(seconds: Int64) {
        let seconds = min(max(0, seconds), 253_402_300_799)
        let time = seconds % 86_400
        let (year, month, day) = S3Timestamp.civil(days: seconds / 86_400)
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        text = "\(year)\(two(month))\(two(day))T\(two(time / 3600))\(two(time / 60 % 60))\(two(time % 60))Z"
    }

    /// Returns the Gregorian date of a number of days since 1970. Years start in March, so that the leap day is the
    /// last one.
    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
