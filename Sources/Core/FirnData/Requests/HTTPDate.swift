import FirnSystem

/// Reads and writes the time stamps of HTTP header fields.
///
/// Reads only the form required of servers since 1999 (RFC 9110 §5.6.7, IMF-fixdate): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    /// Returns the seconds since 1970; `nil` if the text is not a time in that form.
    package static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, bytes[3] == UInt8(ascii: ","), bytes[25...].elementsEqual(" GMT".utf8) else {
            return nil
        }
        for place in [4, 7, 11, 16] where bytes[place] != UInt8(ascii: " ") { return nil }
        guard bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":") else { return nil }
        guard let month = months.firstIndex(where: { bytes[8..<11].elementsEqual($0.utf8) }),
            let day = Int32(digits: bytes[5..<7]), let year = Int32(digits: bytes[12..<16]),
            let hour = Int32(digits: bytes[17..<19]), let minute = Int32(digits: bytes[20..<22]),
            let second = Int32(digits: bytes[23..<25])
        else { return nil }
        guard (1...31).contains(day), year >= 1583, hour < 24, minute < 60, second <= 60 else { return nil }
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, Int32(month), day)
        (time.tm_hour, time.tm_min, time.tm_sec) = (hour, minute, second)
        return Int64(timegm(&time))
    }

    /// Returns a time as IMF-fixdate.
    package static func text(_ seconds: Int64) -> String {
        let time = UTCTime(seconds: seconds)
        let (day, month) = (days[time.weekday], months[time.month - 1])
        return "\(day), \(time.text("%d")) \(month) \(time.text("%Y %H:%M:%S GMT"))"
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

/// A time of the Gregorian calendar in UTC.
package struct UTCTime {
    private var parts = tm()

    /// - Parameter seconds: since 1970; clamped to the years 1970 to 9999.
    package init(seconds: Int64) {
        var seconds = time_t(min(max(0, seconds), 253_402_300_799))
        gmtime_r(&seconds, &parts)
    }

    /// 0 for Sunday.
    package var weekday: Int { Int(parts.tm_wday) }
    /// 1 for January.
    package var month: Int { Int(parts.tm_mon) + 1 }

    /// Formats the time with `strftime`. Use only numeric conversions: names follow the locale.
    package func text(_ form: String) -> String {
        var parts = parts
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let text = buffer.assumingMemoryBound(to: CChar.self)
            let count = text.baseAddress.map { strftime($0, text.count, form, &parts) } ?? 0
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}

/// Reads the field `Retry-After` (RFC 9110 §10.2.3): seconds, or a date.
package enum RetryAfter {
    /// Returns the delay; `nil` if the field is absent or malformed.
    ///
    /// - Parameter now: seconds since 1970, used if the response does not state its own time.
    package static func delay(_ headers: HTTPHeaderFields, now: Int64) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) {
            // Clamps very large numbers to a year.
            return .seconds(min(Int64(text) ?? .max, 31_536_000))
        }
        guard let time = HTTPDate.seconds(text) else { return nil }
        // Prefers the server's own clock, since the local one may be wrong.
        let start = headers["Date"].flatMap { HTTPDate.seconds($0) } ?? now
        return .seconds(min(max(0, time - start), 31_536_000))
    }
}
