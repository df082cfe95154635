// The redirects that led to a response, in an entry's metadata: `http.redirect.N.WHAT`, N from 0.
extension StoredResponse {
    /// The maximum number of redirects that are read. Loaders follow fewer.
    private static let maximumRedirects = 100

    /// Returns the redirects in metadata; `nil` if one is damaged, since the response must not outlive any of them.
    static func redirects(of metadata: [String: String]) -> [StoredResponse]? {
        var redirects: [StoredResponse] = []
        while redirects.count < maximumRedirects, let url = metadata["\(place(redirects.count))url"] {
            let place = place(redirects.count)
            guard let status = metadata[place + "status"].flatMap({ Int($0) }),
                let requestTime = metadata[place + "requested"].flatMap({ Int64($0) }),
                let responseTime = metadata[place + "answered"].flatMap({ Int64($0) })
            else { return nil }
            redirects.append(
                StoredResponse(
                    url: url, status: status, headers: fields(of: metadata, place + "field."),
                    selecting: fields(of: metadata, place + "vary."), requestTime: requestTime,
                    responseTime: responseTime))
        }
        return redirects
    }

    /// Writes the response as the redirect of a number. Several lines of a field become one (RFC 9110 §5.3).
    func write(asRedirect number: Int, to metadata: inout [String: String]) {
        let place = StoredResponse.place(number)
        metadata[place + "url"] = url
        metadata[place + "status"] = String(status)
        metadata[place + "requested"] = String(requestTime)
        metadata[place + "answered"] = String(responseTime)
        for field in headers.fields {
            let name = place + "field." + field.name.lowercased()
            metadata[name] = metadata[name].map { "\($0), \(field.value)" } ?? field.value
        }
        for field in selecting.fields { metadata[place + "vary." + field.name.lowercased()] = field.value }
    }

    /// Returns the fields under a prefix of the metadata, sorted by name.
    static func fields(of metadata: [String: String], _ prefix: String) -> HTTPHeaderFields {
        HTTPHeaderFields(
            metadata.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }
                .map { HTTPHeaderFields.Field(name: String($0.key.dropFirst(prefix.count)), value: $0.value) })
    }

    private static func place(_ number: Int) -> String { "http.redirect.\(number)." }
}
