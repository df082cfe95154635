extension HTTPCachePolicy {
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
        _ stored: StoredResponse, by headers: HTTPHeaderFields, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse? {
        if let new = headers["ETag"], let old = stored.headers["ETag"], !EntityTag.isSame(new, old) { return nil }
        return merged(stored, headers, requestTime: requestTime, responseTime: responseTime)
    }

    /// Returns a stored response updated by a HEAD; `nil` if the HEAD is for another body.
    ///
    /// - Source: RFC 9111 §4.3.5.
    package func updated(
        _ stored: StoredResponse, byHead headers: HTTPHeaderFields, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse? {
        for name in ["ETag", "Last-Modified", "Content-Length"] {
            guard let new = headers[name] else { continue }
            guard new == stored.headers[name] else { return nil }
        }
        return merged(stored, headers, requestTime: requestTime, responseTime: responseTime)
    }

    private func merged(
        _ stored: StoredResponse, _ headers: HTTPHeaderFields, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse {
        var result = stored
        result.headers = HTTPCachePolicy.fields(
            stored.headers, replacedBy: storedFields(headers).without(HTTPCachePolicy.bodyFields))
        result.requestTime = requestTime
        result.responseTime = responseTime
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
        let now = response.responseTime / HTTPCachePolicy.second
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
        _ stored: StoredResponse, by response: DataResponse, to request: DataRequest, requestTime: Int64,
        responseTime: Int64
    ) -> StoredResponse? {
        if !stored.redirects.isEmpty || !response.redirects.isEmpty {
            guard stored.url.prefix(while: { $0 != "#" }) == response.url.prefix(while: { $0 != "#" }) else {
                return nil
            }
        }
        // Without a request to the server, the age does not change.
        var result: StoredResponse? = stored
        if !response.isUnasked {
            result = updated(stored, by: response.headers, requestTime: requestTime, responseTime: responseTime)
        }
        result?.redirects =
            remembered(response, to: request, requestTime: requestTime, responseTime: responseTime).redirects
        return result
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
