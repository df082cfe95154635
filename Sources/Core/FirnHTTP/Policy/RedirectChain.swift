/// The redirects of one transfer: decides which to follow, and creates the next request (RFC 9110 §15.4).
package struct RedirectChain: Equatable {
    package let limit: Int
    /// True if https may redirect to http.
    private let allowsInsecure: Bool
    /// Fields that are not sent to other origins.
    private let privateHeaders: [String]
    private var visited: [String] = []
    private var cookies = ChainCookies()
    /// The redirects followed so far, in order.
    package private(set) var redirects: [DataRedirect] = []

    /// - Parameter privateHeaders: fields that are not sent to other origins, in addition to the usual ones.
    package init(limit: Int, allowsInsecure: Bool = false, privateHeaders: [String] = []) {
        self.limit = max(0, limit)
        self.allowsInsecure = allowsInsecure
        self.privateHeaders = ["Authorization", "Cookie", "Proxy-Authorization"] + privateHeaders
    }

    /// Follows a redirect, or fails. Cookies are sent to the same origin, within this chain only.
    ///
    /// - Parameter headers: the fields of the response.
    package mutating func follow(
        _ request: DataRequest, status: Int, headers: HTTPHeaderFields
    ) -> ResponsePolicy.Verdict {
        guard let location = headers["Location"], !location.isEmpty else {
            return refuse("the server redirects but does not say where to")
        }
        guard let from = WebAddress(request.url), let here = Origin(from),
            let to = WebAddress(location, relativeTo: from), let origin = Origin(to)
        else { return refuse("the server redirects to what is not an http or https address") }
        if !allowsInsecure, here.scheme == "https", origin.scheme == "http" {
            return refuse("a redirect from https to http is refused; allowsInsecureRedirects permits it")
        }
        let sent = request.headers["Cookie"]
        cookies.keep(headers.values("Set-Cookie"), of: here, sent: sent, isFirst: visited.isEmpty)
        let cookie = cookies.field(for: origin, from: here)
        // Order: the same address with different cookies is not a loop; the limit ends a chain of ever-changing
        // cookies.
        visited.append(RedirectChain.place(from.resource, sent))
        guard visited.count <= limit else { return refuse("more than \(limit) redirects, which redirectLimit allows") }
        guard !visited.contains(RedirectChain.place(to.resource, cookie)) else {
            return refuse("the redirects go in a circle")
        }

        var next = request
        next.url = to.text
        if (status == 303 && request.method != "HEAD") || (status <= 302 && request.method == "POST") {
            next.method = "GET"
            next.body = nil
            for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language"] {
                next.headers[name] = nil
            }
        }
        // Credentials for one server are not sent to another.
        if here != origin {
            for name in privateHeaders { next.headers[name] = nil }
        }
        next.headers["Cookie"] = cookie
        // A request with the old `Host` would address the old server.
        next.headers["Host"] = nil
        // Validators belong to the address that sent them (RFC 9110 §15.4 removes them from a redirected request).
        for name in RedirectChain.validators { next.headers[name] = nil }
        if let conditions = next.targetConditions, RedirectChain.isSame(conditions.url, next.url) {
            for field in conditions.headers.fields { next.headers.append(field.name, field.value) }
        }
        redirects.append(DataRedirect(url: request.url, status: status, headers: headers))
        return .follow(next)
    }

    private static let validators = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]

    /// Returns whether a request to the address of its ``TargetConditions`` need not be sent, since the stored response
    /// is fresh.
    package static func isSettled(_ request: DataRequest) -> Bool {
        guard let conditions = request.targetConditions, conditions.isFresh, request.method == "GET" else {
            return false
        }
        return isSame(conditions.url, request.url)
    }

    private static func isSame(_ a: String, _ b: String) -> Bool {
        WebAddress.resource(of: a) == WebAddress.resource(of: b)
    }

    private func refuse(_ message: String) -> ResponsePolicy.Verdict { .fail(DataLoadingError(.redirect, message)) }

    private static func place(_ resource: String, _ cookie: String?) -> String {
        cookie.map { resource + "\n" + $0 } ?? resource
    }
}
