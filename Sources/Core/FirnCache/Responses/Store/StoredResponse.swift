/// The time when a request was sent and when its response arrived, in nanoseconds since 1970.
package struct ResponseTimes: Hashable, Sendable {
    package var requested: Int64
    package var responded: Int64

    package init(requested: Int64 = 0, responded: Int64 = 0) {
        (self.requested, self.responded) = (requested, responded)
    }
}

/// The properties of a response that are stored with its body and decide how it may be reused.
package struct StoredResponse: Hashable, Sendable {
    /// The address that responded.
    package var url: String
    package var status: Int
    /// Header fields of the response, without connection fields.
    package var headers: HTTPHeaderFields
    /// The request fields named by the response's `Vary`. A field without a value was not sent.
    package var selecting: HTTPHeaderFields
    package var times: ResponseTimes
    /// The redirects that led to the address, in order, each with only the header fields that state its lifetime.
    package var redirects: [StoredResponse] = []

    package init(
        url: String, status: Int, headers: HTTPHeaderFields, selecting: HTTPHeaderFields = HTTPHeaderFields(),
        times: ResponseTimes
    ) {
        self.url = url
        self.status = status
        self.headers = headers
        self.selecting = selecting
        self.times = times
    }

    /// Reads the response from an entry of a data cache.
    ///
    /// Returns `nil` if the entry's ``DataCacheEntry/metadata`` lacks a valid address, status or one of the two times,
    /// for the response or a redirect: the response must not outlive a redirect. Entries stored without HTTP caching
    /// lack them.
    package init?(_ entry: DataCacheEntry) {
        self.init(entry.metadata, StoredResponse.prefix, entry.headers)
        while redirects.count < StoredResponse.maximumRedirects {
            let prefix = StoredResponse.prefix(ofRedirect: redirects.count)
            guard entry.metadata[prefix + "url"] != nil else { return }
            let headers = StoredResponse.fields(of: entry.metadata, prefix + "field.")
            guard let redirect = StoredResponse(entry.metadata, prefix, headers) else { return nil }
            redirects.append(redirect)
        }
    }

    /// Reads the values under a prefix of the metadata.
    private init?(_ metadata: [String: String], _ prefix: String, _ headers: HTTPHeaderFields) {
        guard let url = metadata[prefix + "url"], let status = metadata[prefix + "status"].flatMap({ Int($0) }),
            let requested = metadata[prefix + "requested"].flatMap({ Int64($0) }),
            let responded = metadata[prefix + "answered"].flatMap({ Int64($0) })
        else { return nil }
        self.init(
            url: url, status: status, headers: headers,
            selecting: StoredResponse.fields(of: metadata, prefix + "vary."),
            times: ResponseTimes(requested: requested, responded: responded))
    }

    /// The ``DataCacheEntry/metadata`` of the response: everything except the header fields.
    package var metadata: [String: String] {
        var metadata: [String: String] = [:]
        write(to: &metadata, StoredResponse.prefix)
        for (number, redirect) in redirects.enumerated() {
            let prefix = StoredResponse.prefix(ofRedirect: number)
            redirect.write(to: &metadata, prefix)
            // Several lines of a field are joined (RFC 9110 §5.3).
            for field in redirect.headers.fields {
                let name = prefix + "field." + field.name.lowercased()
                metadata[name] = metadata[name].map { "\($0), \(field.value)" } ?? field.value
            }
        }
        return metadata
    }

    private func write(to metadata: inout [String: String], _ prefix: String) {
        metadata[prefix + "url"] = url
        metadata[prefix + "status"] = String(status)
        metadata[prefix + "requested"] = String(times.requested)
        metadata[prefix + "answered"] = String(times.responded)
        for field in selecting.fields { metadata[prefix + "vary." + field.name.lowercased()] = field.value }
    }

    /// Returns the fields under a prefix of the metadata, sorted by name.
    private static func fields(of metadata: [String: String], _ prefix: String) -> HTTPHeaderFields {
        HTTPHeaderFields(
            metadata.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }
                .map { HTTPHeaderFields.Field(name: String($0.key.dropFirst(prefix.count)), value: $0.value) })
    }

    private static let prefix = "http."

    /// The metadata prefix of a redirect, by its number from 0.
    private static func prefix(ofRedirect number: Int) -> String { "\(prefix)redirect.\(number)." }

    /// The maximum number of redirects to read. Loaders follow fewer.
    private static let maximumRedirects = 100
}
