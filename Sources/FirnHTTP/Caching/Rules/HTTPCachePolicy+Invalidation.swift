package import FirnData

/// Invalidation of stored responses by unsafe requests.
extension HTTPCachePolicy {
    /// Whether a method is safe: it only reads.
    ///
    /// - Source: RFC 9110 §9.2.1.
    package static func isSafe(_ method: String) -> Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }

    /// Returns the addresses whose stored responses are invalid after a response to a request.
    ///
    /// - Source: RFC 9111 §4.4: after a response of 2xx or 3xx to an unsafe method, the request's own address, and
    ///   those of the same origin that the response names.
    package func invalidated(by request: DataRequest, status: Int, headers: HTTPHeaderFields) -> [String] {
        guard !HTTPCachePolicy.isSafe(request.method), (200..<400).contains(status) else { return [] }
        guard let target = WebAddress(request.url) else { return [WebAddress.resource(of: request.url)] }
        let named = ["Location", "Content-Location"].compactMap { headers[$0] }
            .compactMap { WebAddress($0, relativeTo: target) }
            .filter { $0.origin == target.origin && $0.resource != target.resource }
        return [target.resource] + named.map(\.resource)
    }
}
