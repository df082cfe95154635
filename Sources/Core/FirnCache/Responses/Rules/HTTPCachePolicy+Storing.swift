extension HTTPCachePolicy {
    /// Returns whether a response may be stored and can be reused.
    ///
    /// - Source: RFC 9111 §3 and §3.5.
    package func mayStore(_ response: StoredResponse, to request: DataRequest) -> Bool {
        let asked = CacheDirectives(request.headers)
        let said = CacheDirectives(response.headers)
        // A final response, and not one to a revalidation.
        guard (200...599).contains(response.status), response.status != 304 else { return false }
        guard mayStore(method: request.method, response, to: request) else { return false }
        guard !asked.has("no-store"), !forbidsStoring(said, response.status) else { return false }
        if isShared, said.isPrivate(hasCredentials: request.headers["Authorization"] != nil) { return false }
        let varies = ([response] + response.redirects).map { VaryRule($0.headers) }
        if varies.contains(.everything) { return false }
        if response.status == 206 {
            // A single part at a known position, in response to a range request.
            guard request.method == "GET", request.headers["Range"] != nil, StoredPart(response) != nil else {
                return false
            }
        }
        let isExplicit = explicitLifetime(response) != nil
        guard
            isExplicit || said.has("public") || !isShared && said.has("private")
                || HTTPCachePolicy.isHeuristicallyCacheable(response.status)
        else { return false }
        // Reusable while fresh, after revalidation, or stale if it allows that.
        if response.headers["ETag"] != nil || response.headers["Last-Modified"] != nil { return true }
        return lifetime(response) > 0 && !said.isWhole("no-cache")
    }

    /// Allows GET, and POST only if the response states that a GET would return the same.
    private func mayStore(method: String, _ response: StoredResponse, to request: DataRequest) -> Bool {
        switch method {
        case "GET": return true
        case "POST":
            // RFC 9110 §9.3.3. Behind a redirect, another address would vouch for this one.
            guard response.redirects.isEmpty, (200..<300).contains(response.status), explicitLifetime(response) != nil,
                let place = response.headers["Content-Location"], let target = WebAddress(request.url)
            else { return false }
            return WebAddress(place, relativeTo: target)?.resource == target.resource
        default: return false
        }
    }

    private func forbidsStoring(_ said: CacheDirectives, _ status: Int) -> Bool {
        // RFC 9111 §5.2.2.3: a cache that understands the status applies the status's rules instead.
        guard said.has("must-understand") else { return said.has("no-store") }
        return ![200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// Returns the header fields of a response that are stored.
    ///
    /// - Source: RFC 9111 §3.1, §5.2.2.4 and §5.2.2.7: without connection fields and without fields that require
    ///   revalidation.
    package func storedFields(_ headers: HTTPHeaderFields) -> HTTPHeaderFields {
        let said = CacheDirectives(headers)
        let named = said.fields("no-cache") + (isShared ? said.fields("private") : [])
        return ConnectionFields.removed(from: headers).without(Set(named.map { $0.lowercased() }))
    }

    // MARK: Stored responses

    /// The policy for images: a private cache, with five minutes of freshness for responses without any freshness
    /// information, which many image servers send. Otherwise each display of such an image would need a request.
    public static var images: HTTPCachePolicy {
        var policy = HTTPCachePolicy()
        policy.unstatedLifetime = .seconds(300)
        return policy
    }

    /// Returns the response without connection fields and with the request fields that it depends on (RFC 9111 §3.1,
    /// §4.1).
    package func remembered(
        _ response: DataResponse, to request: DataRequest, _ times: ResponseTimes
    ) -> StoredResponse {
        var stored = StoredResponse(
            url: response.url, status: response.status ?? 200, headers: storedFields(response.headers),
            selecting: VaryRule(response.headers).selecting(request.headers), times: times)
        // The lifetimes of redirects start when the first request was sent: the exact time of arrival is unknown, but
        // not earlier.
        stored.redirects = response.redirects.map { redirect in
            let isForgetful = CacheDirectives(redirect.headers).has("no-store")
            let headers = storedFields(redirect.headers).fields.filter {
                let name = $0.name.lowercased()
                // For a response that must not be stored, only this fact is kept.
                return isForgetful ? name == "cache-control" : HTTPCachePolicy.freshnessFields.contains(name)
            }
            return StoredResponse(
                url: redirect.url, status: redirect.status, headers: HTTPHeaderFields(headers),
                selecting: VaryRule(redirect.headers).selecting(request.headers),
                times: ResponseTimes(requested: times.requested, responded: times.requested))
        }
        return stored
    }

    private static let freshnessFields: Set<String> = [
        "cache-control", "expires", "date", "age", "last-modified", "vary",
    ]

    /// Returns the request with validators for the address that sent them. If that address was reached by redirects and
    /// its response is fresh, it needs no request.
    package func check(_ stored: StoredResponse, for request: DataRequest, at now: Int64) -> DataRequest {
        let isFresh = !stored.redirects.isEmpty && useIgnoringRedirects(of: stored, for: request, at: now) == .serve
        return request.asking(about: stored, validators(of: stored), isFresh: isFresh)
    }

    /// Returns whether the request or the response has `no-store` (RFC 9111 §5.2.1.5, §5.2.2.5).
    package func forbidsStoring(_ response: StoredResponse, to request: DataRequest) -> Bool {
        CacheDirectives(request.headers).has("no-store") || CacheDirectives(response.headers).has("no-store")
    }

    /// Applies the rules for reuse (RFC 9111 §4).
    package func verdict(on response: StoredResponse, for request: DataRequest, at now: Int64) -> CacheVerdict {
        switch use(of: response, for: request, at: now) {
        case .serve: .fresh(until: max(staleTime(response), now))
        case .serveWhileRevalidating: .stale(whileRevalidating: true, onError: true)
        case .revalidate(let onError):
            // A response that may be used when the source fails may also be shown until the source responds.
            .stale(whileRevalidating: onError, onError: onError)
        case .unusable: .unusable
        }
    }

    // MARK: Validation

    /// Returns the header fields of a conditional request; empty if the response has no validators.
    ///
    /// - Source: RFC 9111 §4.3.1.
    package func validators(of response: StoredResponse) -> HTTPHeaderFields {
        var fields = HTTPHeaderFields()
        if let tag = response.headers["ETag"] { fields.append("If-None-Match", tag) }
        if let changed = response.headers["Last-Modified"] { fields.append("If-Modified-Since", changed) }
        return fields
    }

    /// Returns a stored response updated by a 304, with new fields and the old body; `nil` if the 304 is for another
    /// body.
    ///
    /// - Source: RFC 9111 §3.2 and §4.3.4.
    package func updated(
        _ stored: StoredResponse, by headers: HTTPHeaderFields, _ times: ResponseTimes
    ) -> StoredResponse? {
        if let new = headers["ETag"], let old = stored.headers["ETag"], !EntityTag.isSame(new, old) { return nil }
        return merged(stored, headers, times)
    }

    /// Returns a stored response updated by a HEAD; `nil` if the HEAD is for another body.
    ///
    /// - Source: RFC 9111 §4.3.5.
    package func updated(
        _ stored: StoredResponse, byHead headers: HTTPHeaderFields, _ times: ResponseTimes
    ) -> StoredResponse? {
        for name in ["ETag", "Last-Modified", "Content-Length"] {
            guard let new = headers[name] else { continue }
            guard new == stored.headers[name] else { return nil }
        }
        return merged(stored, headers, times)
    }

    private func merged(_ stored: StoredResponse, _ headers: HTTPHeaderFields, _ times: ResponseTimes) -> StoredResponse
    {
        var result = stored
        result.headers = HTTPCachePolicy.fields(
            stored.headers, replacedBy: storedFields(headers).without(HTTPCachePolicy.bodyFields))
        result.times = times
        return result
    }

    /// Returns the fields, replaced by newer ones of the same name.
    static func fields(_ old: HTTPHeaderFields, replacedBy new: HTTPHeaderFields) -> HTTPHeaderFields {
        // An age belongs only to the response that states it.
        let replaced = Set(new.fields.map { $0.name.lowercased() } + ["age"])
        return HTTPHeaderFields(old.without(replaced).fields + new.fields)
    }

    /// Fields that describe the stored bytes. A 304 does not change them.
    private static let bodyFields: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// The result of evaluating a request's own conditions against a stored response.
    package enum Precondition: Hashable {
        /// There are no conditions, or the response meets them.
        case send
        /// The caller already has the response: 304.
        case notModified
        /// Conditions that are not evaluated here.
        case unknown
    }

    /// Evaluates `If-None-Match` and `If-Modified-Since` of a request.
    ///
    /// - Source: RFC 9111 §4.3.2, RFC 9110 §13.2.2: the first takes precedence.
    package func judge(_ request: HTTPHeaderFields, _ response: StoredResponse) -> Precondition {
        guard request["If-Match"] == nil, request["If-Unmodified-Since"] == nil else { return .unknown }
        guard response.status == 200 || response.status == 206 else { return .send }
        let tags = FieldList.members(request.values("If-None-Match"))
        if !tags.isEmpty {
            if tags == ["*"] { return .notModified }
            guard let tag = response.headers["ETag"] else { return .send }
            return tags.contains { EntityTag.isSame($0, tag) } ? .notModified : .send
        }
        guard let text = request["If-Modified-Since"] else { return .send }
        let now = response.times.responded / HTTPCachePolicy.second
        guard let since = HTTPDate.anySeconds(text, now: now) else { return .send }
        let stated = response.headers["Last-Modified"] ?? response.headers["Date"]
        guard let changed = stated.flatMap({ HTTPDate.anySeconds($0, now: now) }) else { return .send }
        return changed <= since ? .notModified : .send
    }

    /// Returns the fields of a 304 for a stored response.
    ///
    /// - Source: RFC 9110 §15.4.5.
    package static func notModifiedFields(_ headers: HTTPHeaderFields) -> HTTPHeaderFields {
        headers.without(HTTPCachePolicy.bodyFields.union(["content-type"]))
    }

    /// Returns a stored response after a 304; `nil` if the 304 is for another body, or from another address than the
    /// one whose validators were sent.
    ///
    /// The redirects that led to the 304 replace the stored ones.
    package func confirmed(
        _ stored: StoredResponse, by response: DataResponse, to request: DataRequest, _ times: ResponseTimes
    ) -> StoredResponse? {
        if !stored.redirects.isEmpty || !response.redirects.isEmpty {
            guard stored.url.prefix(while: { $0 != "#" }) == response.url.prefix(while: { $0 != "#" }) else {
                return nil
            }
        }
        // Without a request to the server, the age does not change.
        var result = response.isUnasked ? stored : updated(stored, by: response.headers, times)
        result?.redirects = remembered(response, to: request, times).redirects
        return result
    }
}

/// Header fields of a single connection, which are neither stored nor forwarded.
///
/// Source: RFC 9110 §7.6.1, RFC 9111 §3.1.
package enum ConnectionFields {
    private static let names: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "trailer",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    ]

    /// Returns the fields except those of the connection.
    package static func removed(from headers: HTTPHeaderFields) -> HTTPHeaderFields {
        headers.without(names.union(FieldList.members(headers.values("Connection")).map { $0.lowercased() }))
    }
}

package enum EntityTag {
    /// Returns whether two tags match by weak comparison (RFC 9110 §8.8.3.2).
    package static func isSame(_ a: String, _ b: String) -> Bool { opaque(a) == opaque(b) }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") || tag.hasPrefix("w/") ? tag.dropFirst(2) : tag[...]
    }
}

extension DataRequest {
    /// Returns the request with validators for the address that sent them.
    ///
    /// - Parameter isFresh: whether that address's own stored response is fresh.
    package func asking(
        about stored: StoredResponse, _ validators: HTTPHeaderFields, isFresh: Bool = false
    ) -> DataRequest {
        var request = self
        if stored.redirects.isEmpty {
            guard !validators.isEmpty else { return self }
            for name in ["If-None-Match", "If-Modified-Since"] { request.headers[name] = nil }
            for field in validators.fields { request.headers.append(field.name, field.value) }
        } else if !validators.isEmpty || isFresh {
            request.targetConditions = TargetConditions(url: stored.url, headers: validators, isFresh: isFresh)
        }
        return request
    }
}
