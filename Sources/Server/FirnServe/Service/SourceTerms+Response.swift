import FirnSync

extension SourceTerms {
    /// Reads the terms of a source.
    ///
    /// - Parameters:
    ///   - response: the response of the source; `nil` for a file.
    ///   - now: the current time in seconds since 1970.
    init(_ response: StoredResponse?, of source: SourceReference, _ settings: ServeSettings, now: Int) {
        modified = source.modified
        guard let response else { return }
        if let text = response.headers["Last-Modified"] {
            // A change after the response would match conditions that it must not match (RFC 9110 §8.8.2.1).
            modified = HTTPDate.anySeconds(text, now: Int64(now)).map { min(Int(clamping: $0), now) }
        }
        for rule in settings.responseFields where rule.value == nil {
            fields[rule.name] = FieldRule.valid(response.headers.values(rule.name).joined(separator: ", "))
        }
        guard settings.imgproxy.followsSources else { return }
        var shared = HTTPCachePolicy()
        shared.isShared = true
        let ends = [HTTPCachePolicy(), shared].compactMap { $0.statedStaleTime(response) }
        if let end = ends.min() {
            // The clock of the pipeline is that of the system.
            let rest = end / 1_000_000_000 - Int64(clamping: ServeClock.seconds())
            freshUntil = Int(clamping: Int64(now).saturatingAdd(max(0, rest)))
        }
        let said = CacheDirectives(response.headers)
        let redirects = response.redirects.map { CacheDirectives($0.headers) }
        isPrivate =
            said.isPrivate(hasCredentials: source.fields.hasCredentials)
            || redirects.contains { $0.isPrivate(hasCredentials: false) }
        forbidsStoring = ([said] + redirects).contains { $0.has("no-store") }
    }
}
