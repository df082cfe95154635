/// Reads the field `Retry-After` (RFC 9110 §10.2.3): seconds, or a date.
package enum RetryAfter {
    /// Returns the delay; `nil` if the field is absent or malformed.
    ///
    /// - Parameter now: seconds since 1970, for a response that does not state its own time.
    package static func delay(_ headers: HTTPHeaderFields, now: Int64) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) {
            // A very large number counts as a year.
            return .seconds(min(Int64(text) ?? .max, 31_536_000))
        }
        guard let time = HTTPDate.seconds(text) else { return nil }
        // The server's own clock if it states it, since the local one may be wrong.
        let start = headers["Date"].flatMap { HTTPDate.seconds($0) } ?? now
        return .seconds(min(max(0, time - start), 31_536_000))
    }
}
