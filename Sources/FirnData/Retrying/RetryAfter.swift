/// Reads the field `Retry-After` (RFC 9110 §10.2.3): seconds, or a date.
package enum RetryAfter {
    /// How long to wait; `nil` if the field is absent or malformed.
    ///
    /// - Parameter now: seconds since 1970, for a date in an answer that does not say when it was sent itself.
    package static func delay(_ headers: HTTPHeaderFields, now: Int64) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) {
            // A number beyond all reason is no shorter than a year.
            return .seconds(min(Int64(text) ?? .max, 31_536_000))
        }
        guard let time = HTTPDate.seconds(text) else { return nil }
        // The server's own clock, where it tells it: ours may be wrong.
        let start = headers["Date"].flatMap { HTTPDate.seconds($0) } ?? now
        return .seconds(min(max(0, time - start), 31_536_000))
    }
}
