package import FirnData

/// The rules for storing and reusing responses: RFC 9111 and RFC 5861, with settings where these leave a choice.
///
/// A pure value: all rules are functions of the stored response, the request and the time.
public struct HTTPCachePolicy: Hashable, Sendable {
    /// True if several users share the cache. Default: `false`. A single-user cache may store `private` responses and
    /// responses to requests with `Authorization`, and ignores `s-maxage`. `true` for a proxy.
    public var isShared = false

    /// The freshness lifetime of responses that state neither a lifetime nor a modification time. Default: zero, since
    /// nothing is known about them.
    public var unstatedLifetime: Duration = .zero

    /// The fraction of the time since the last modification for which a response without a stated lifetime is fresh.
    /// Default: 0.1, as proposed in RFC 9111 §4.2.2.
    public var heuristicShare = 0.1

    /// The maximum of this estimate. Default: one day, long enough to save requests and short enough to notice a
    /// change.
    public var heuristicLimit: Duration = .seconds(86_400)

    /// The time after the end of its freshness for which a response may be used if the server fails or cannot be
    /// reached, unless the response states it (`stale-if-error`, or a directive that forbids it). Default: one week,
    /// since an old image is better than none.
    public var staleOnErrorLimit: Duration = .seconds(7 * 86_400)

    /// Creates the policy of a private cache.
    public init() {}
}

extension HTTPCachePolicy {
    /// Returns whether a method is safe, that is, only reads.
    ///
    /// - Source: RFC 9110 §9.2.1.
    package static func isSafe(_ method: String) -> Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }

    /// Returns the addresses whose stored responses a request has invalidated.
    ///
    /// - Source: RFC 9111 §4.4: after a 2xx or 3xx response to an unsafe method, the request's own address, and those
    ///   of the same origin that the response names.
    package func invalidated(by request: DataRequest, status: Int, headers: HTTPHeaderFields) -> [String] {
        guard !HTTPCachePolicy.isSafe(request.method), (200..<400).contains(status) else { return [] }
        guard let target = WebAddress(request.url) else { return [WebAddress.resource(of: request.url)] }
        let named = ["Location", "Content-Location"].compactMap { headers[$0] }
            .compactMap { WebAddress($0, relativeTo: target) }
            .filter { $0.origin == target.origin && $0.resource != target.resource }
        return [target.resource] + named.map(\.resource)
    }
}
