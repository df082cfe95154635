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

/// The address of a request as sent: without user name and password, which become a header field.
package struct RequestAddress: Equatable {
    package let text: String
    package let origin: Origin
    /// The value of `Authorization` (RFC 7617); `nil` if the address has no user.
    package let credentials: String?

    /// Reads an address; returns `nil` if it cannot be loaded.
    package init?(_ text: String) {
        if let (isSecure, host, port) = WebAddress.normalOrigin(text) {
            self.text = text
            origin = Origin(isSecure: isSecure, host: host, port: port)
            credentials = nil
            return
        }
        guard let address = WebAddress(text), let origin = Origin(address) else { return nil }
        self.origin = origin
        guard !address.user.isEmpty || !address.password.isEmpty else {
            self.text = address.resource
            credentials = nil
            return
        }
        self.text = address.withoutCredentials.resource
        let parts = [address.user, address.password].map { PercentEncoding.decoded($0.utf8) }
        let hasCredentials = parts.contains { !$0.isEmpty }
        let secret = Data(parts.joined(separator: CollectionOfOne(UInt8(ascii: ":"))))
        credentials = hasCredentials ? "Basic " + secret.base64EncodedString() : nil
    }
}

/// Scheme, host and port of an address that this loader supports (RFC 6454).
package struct Origin: Hashable {
    package let scheme: String
    /// The name or IP address, without brackets.
    package let host: String
    package let port: Int

    /// Returns `nil` for port 0, which cannot be connected to.
    package init?(_ address: WebAddress) {
        guard address.port != 0 else { return nil }
        let host = address.host.hasPrefix("[") ? String(address.host.dropFirst().dropLast()) : address.host
        self.init(isSecure: address.isSecure, host: host, port: address.port)
    }

    /// Creates an origin with a port above 0; `nil` stands for the scheme's default.
    init(isSecure: Bool, host: String, port: Int?) {
        scheme = isSecure ? "https" : "http"
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
    }
}

/// The cookies of one chain of redirects (RFC 6265): each is sent only to the origin that set it, within this chain.
///
/// Paths and domains have no effect. Secure cookies are not accepted over http.
struct ChainCookies: Equatable {
    private struct Cookie: Equatable {
        let origin: Origin
        let name: String
        let value: String
    }

    private static let most = 50
    /// The maximum number of bytes of a cookie.
    private static let longest = 4096

    private var cookies: [Cookie] = []
    /// The caller's own value, while the origin stays the same.
    private var own: String?

    /// Stores the cookies of a redirect.
    ///
    /// - Parameters:
    ///   - fields: the fields `Set-Cookie`.
    ///   - sent: the field `Cookie` of the request.
    ///   - isFirst: whether the request was the first of the chain.
    mutating func keep(_ fields: [String], of origin: Origin, sent: String?, isFirst: Bool) {
        if isFirst { own = sent }
        for field in fields.prefix(Self.most) {
            let parts = field.split(separator: ";", omittingEmptySubsequences: false).map { Self.trimmed($0.utf8) }
            guard let pair = parts.first, let mark = pair.firstIndex(of: "=") else { continue }
            let name = Self.trimmed(pair[..<mark].utf8)
            let value = Self.trimmed(pair[pair.index(after: mark)...].utf8)
            let attributes = parts.dropFirst().map { $0.lowercased() }
            guard !name.isEmpty, pair.utf8.count <= Self.longest,
                pair.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
                origin.scheme == "https" || !attributes.contains("secure")
            else { continue }
            cookies.removeAll { $0.origin == origin && $0.name == name }
            let isOver = attributes.contains { $0.hasPrefix("max-age=0") || $0.hasPrefix("max-age=-") }
            if !isOver, cookies.count < Self.most { cookies.append(Cookie(origin: origin, name: name, value: value)) }
        }
    }

    /// Returns the field `Cookie` of the next request; `nil` for none.
    mutating func field(for origin: Origin, from last: Origin) -> String? {
        if origin != last { own = nil }
        let set = cookies.filter { $0.origin == origin }.map { "\($0.name)=\($0.value)" }
        let all = (own.map { [$0] } ?? []) + set
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        String(decoding: FieldList.trimmed(text), as: UTF8.self)
    }
}
