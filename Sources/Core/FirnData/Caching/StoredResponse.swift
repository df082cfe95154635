/// The properties of a response that are stored with its body. They decide how it may be used later.
package struct StoredResponse: Hashable, Sendable {
    /// The address that responded.
    package var url: String
    package var status: Int
    /// Header fields of the response, without those of a single connection.
    package var headers: HTTPHeaderFields
    /// The request's header fields that the response depends on, as named by its `Vary`. A field without a value was
    /// not sent.
    package var selecting: HTTPHeaderFields
    /// The time when the request was sent, in nanoseconds since 1970.
    package var requestTime: Int64
    /// The time when the response arrived, in nanoseconds since 1970.
    package var responseTime: Int64
    /// The redirects that led to the address, in order, each with only the header fields that state its lifetime.
    package var redirects: [StoredResponse] = []

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
    /// Returns `nil` if the entry's ``DataCacheEntry/metadata`` lacks the address, the status or one of the two times,
    /// or has an invalid one, also for a redirect. Entries that were stored without HTTP caching lack them.
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

    /// The ``DataCacheEntry/metadata`` that stores the response: everything except the header fields.
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
