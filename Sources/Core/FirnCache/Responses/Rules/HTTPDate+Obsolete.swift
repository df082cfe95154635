extension HTTPDate {
    /// Reads a time in one of the three formats that recipients must accept; returns `nil` for anything else.
    ///
    /// Names may be in any case. A two-digit year more than 50 years ahead of `now` is in the past.
    /// - Parameter now: seconds since 1970.
    /// - Source: RFC 9110 §5.6.7.
    package static func anySeconds(_ text: String, now: Int64) -> Int64? {
        seconds(cased(text)) ?? asctime(text) ?? rfc850(text, now: now)
    }

    /// Returns the IMF form with its names in the standard case.
    private static func cased(_ text: String) -> String {
        var bytes = Array(text.utf8)
        guard bytes.count == 29 else { return text }
        for (range, lead) in [(0..<3, 1), (8..<11, 1), (26..<29, 3)] {
            for (place, index) in range.enumerated() {
                let letter = bytes[index] | 0x20
                guard letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "z") else { return text }
                bytes[index] = place < lead ? letter & 0xDF : letter
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads `Sun Nov  6 08:49:37 1994`.
    private static func asctime(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 24, bytes[3] == 0x20, bytes[7] == 0x20, bytes[10] == 0x20, bytes[19] == 0x20 else {
            return nil
        }
        let words = [0..<3, 4..<7, 8..<10, 11..<19, 20..<24].map { String(decoding: bytes[$0], as: UTF8.self) }
        let day = words[2].hasPrefix(" ") ? "0" + words[2].dropFirst() : words[2]
        return seconds(cased("\(words[0]), \(day) \(words[1]) \(words[4]) \(words[3]) GMT"))
    }

    /// Reads `Sunday, 06-Nov-94 08:49:37 GMT`.
    private static func rfc850(_ text: String, now: Int64) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, words[3].lowercased() == "gmt", words[0].hasSuffix(","),
            days.contains(words[0].dropLast().lowercased())
        else { return nil }
        let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard date.count == 3, date.map(\.utf8.count) == [2, 3, 2], let short = DeltaSeconds.parse(String(date[2]))
        else {
            return nil
        }
        let form: (Int64) -> Int64? = {
            seconds(cased("\(words[0].prefix(3)), \(date[0]) \(date[1]) \($0) \(words[2]) GMT"))
        }
        guard let time = form(2000 + short) else { return nil }
        return time > now + 50 * 31_556_952 ? form(1900 + short) : time
    }

    private static let days: Set<String> = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
}
