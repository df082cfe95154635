package import FirnData
import FoundationEssentials

/// The redirects of one transfer: which is followed, and what the next request is (RFC 9110 §15.4).
package struct RedirectChain: Equatable {
    package enum Step: Equatable {
        case follow(DataRequest)
        case fail(DataLoadingError)
    }

    package let limit: Int
    /// Whether https may lead to http.
    private let allowsInsecure: Bool
    /// Fields that are not told to another origin.
    private let privateHeaders: [String]
    private var visited: [String] = []
    /// The redirects that were followed, first one first.
    package private(set) var redirects: [DataRedirect] = []

    /// - Parameter privateHeaders: fields that are not told to another origin, beside the usual ones.
    package init(limit: Int, allowsInsecure: Bool = false, privateHeaders: [String] = []) {
        self.limit = max(0, limit)
        self.allowsInsecure = allowsInsecure
        self.privateHeaders = ["Authorization", "Cookie", "Proxy-Authorization"] + privateHeaders
    }

    /// Whether a status asks the client to go elsewhere by itself.
    package static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Takes a redirect that answered `request`.
    package mutating func follow(_ request: DataRequest, status: Int, headers: HTTPHeaderFields) -> Step {
        let step = follow(request, status: status, location: headers["Location"])
        if case .follow = step {
            redirects.append(DataRedirect(url: request.url, status: status, headers: headers))
        }
        return step
    }

    /// Takes a redirect to a location.
    package mutating func follow(_ request: DataRequest, status: Int, location: String?) -> Step {
        guard let location, !location.isEmpty else { return refuse("the server redirects but does not say where to") }
        guard let from = URL(string: request.url), let to = URL(string: location, relativeTo: from)?.absoluteURL,
            let origin = Origin(to)
        else { return refuse("the server redirects to what is not an http or https address") }
        if !allowsInsecure, Origin(from)?.scheme == "https", origin.scheme == "http" {
            return refuse("a redirect from https to http is refused; allowsInsecureRedirects permits it")
        }
        visited.append(RedirectChain.place(request.url))
        guard visited.count <= limit else { return refuse("more than \(limit) redirects, which redirectLimit allows") }
        guard !visited.contains(RedirectChain.place(to.absoluteString)) else {
            return refuse("the redirects go in a circle")
        }

        var next = request
        next.url = to.absoluteString
        if (status == 303 && request.method != "HEAD") || (status <= 302 && request.method == "POST") {
            next.method = "GET"
            next.body = nil
            for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language"] {
                next.headers[name] = nil
            }
        }
        // What proves who the user is to one server is not told to another.
        if Origin(from) != origin {
            for name in privateHeaders { next.headers[name] = nil }
        }
        // Whoever asks under `Host` asks the old server.
        next.headers["Host"] = nil
        // Validators are of the address that gave them (RFC 9110 §15.4 leaves them out of a redirected request).
        for name in RedirectChain.validators { next.headers[name] = nil }
        if let conditions = next.targetConditions, RedirectChain.isSame(conditions.url, next.url) {
            for field in conditions.headers.fields { next.headers.append(field.name, field.value) }
        }
        return .follow(next)
    }

    private static let validators = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]

    /// Whether a request for the address of its ``TargetConditions`` need not be sent, since the kept response is fresh.
    package static func isSettled(_ request: DataRequest) -> Bool {
        guard let conditions = request.targetConditions, conditions.isFresh, request.method == "GET" else {
            return false
        }
        return isSame(conditions.url, request.url)
    }

    private static func isSame(_ a: String, _ b: String) -> Bool { place(a) == place(b) }

    private func refuse(_ message: String) -> Step { .fail(DataLoadingError(.redirect, message)) }

    /// An address without its fragment, which is no part of what is asked.
    private static func place(_ url: String) -> String { String(url.prefix { $0 != "#" }) }
}
