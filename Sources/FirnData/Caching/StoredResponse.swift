/// What is remembered of an answer beside its body: enough to tell later what it may still be used for.
package struct StoredResponse: Hashable, Sendable {
    /// The address that answered.
    package var url: String
    /// HTTP status.
    package var status: Int
    /// Header fields of the answer, without those that concern one connection only.
    package var headers: HTTPHeaderFields
    /// Fields of the request that the answer depends on, as its `Vary` names them; one without a value was not sent.
    package var selecting: HTTPHeaderFields
    /// When the request was sent, in nanoseconds since 1970.
    package var requestTime: Int64
    /// When the answer came, in nanoseconds since 1970.
    package var responseTime: Int64
    /// The redirects that led to the address, first one first; with the header fields that say how long each holds, and no others.
    package var redirects: [StoredResponse] = []

    /// A remembered answer.
    package init(
        url: String, status: Int, headers: HTTPHeaderFields, selecting: HTTPHeaderFields = HTTPHeaderFields(),
        requestTime: Int64,
        responseTime: Int64
    ) {
        self.url = url
        self.status = status
        self.headers = headers
        self.selecting = selecting
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    /// Reads the response from an entry of a data cache.
    ///
    /// Fails if the entry's ``DataCacheEntry/metadata`` lacks the address, the status or one of the two times, or if one of these is
    /// no number, also of a redirect. That is so for entries that were stored without HTTP caching.
    package init?(_ entry: DataCacheEntry) {
        let metadata = entry.metadata
        guard let url = metadata["http.url"], let status = metadata["http.status"].flatMap({ Int($0) }),
            let requestTime = metadata["http.requested"].flatMap({ Int64($0) }),
            let responseTime = metadata["http.answered"].flatMap({ Int64($0) })
        else { return nil }
        self.init(
            url: url, status: status, headers: entry.headers,
            selecting: StoredResponse.fields(of: metadata, StoredResponse.prefix), requestTime: requestTime,
            responseTime: responseTime)
        guard let redirects = StoredResponse.redirects(of: metadata) else { return nil }
        self.redirects = redirects
    }

    /// What ``DataCacheEntry/metadata`` keeps of it: all but the header fields.
    package var metadata: [String: String] {
        var metadata = [
            "http.url": url, "http.status": String(status), "http.requested": String(requestTime),
            "http.answered": String(responseTime),
        ]
        for field in selecting.fields { metadata[StoredResponse.prefix + field.name.lowercased()] = field.value }
        for (number, redirect) in redirects.enumerated() { redirect.write(asRedirect: number, to: &metadata) }
        return metadata
    }

    private static let prefix = "http.vary."
}
