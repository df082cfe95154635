import FirnData
import FirnSystem

/// The time of log lines.
package enum LogTime {
    /// The time in UTC, in milliseconds, as RFC 3339 writes it.
    package static let now: @Sendable () -> String = {
        let time = Duration.sinceEpoch().components
        var seconds = time_t(time.seconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let day = [
            digits(Int(parts.tm_year) + 1900, 4), digits(Int(parts.tm_mon) + 1, 2), digits(Int(parts.tm_mday), 2),
        ]
        let hours = [digits(Int(parts.tm_hour), 2), digits(Int(parts.tm_min), 2), digits(Int(parts.tm_sec), 2)]
        return day.joined(separator: "-") + "T" + hours.joined(separator: ":")
            + ".\(digits(Int(time.attoseconds / 1_000_000_000_000_000), 3))Z"
    }
}
