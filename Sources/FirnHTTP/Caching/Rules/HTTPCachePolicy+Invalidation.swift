package import FirnData

/// What a request that changes something makes of what is kept.
extension HTTPCachePolicy {
    /// Whether a method only reads.
    ///
    /// - Source: RFC 9110 §9.2.1.
    package static func isSafe(_ method: String) -> Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }

    /// The addresses whose kept answers are wrong after an answer to a request.
    ///
    /// - Source: RFC 9111 §4.4: the request's own, and those that the answer names, where they are of the same origin, after a
    ///   method that is not safe was answered by 2xx or 3xx.
    package func invalidated(by request: DataRequest, status: Int, headers: HTTPHeaderFields) -> [String] {
        guard !HTTPCachePolicy.isSafe(request.method), (200..<400).contains(status) else { return [] }
        let target = ResourceAddress.normalized(request.url)
        let origin = ResourceAddress.origin(target)
        let named = ["Location", "Content-Location"].compactMap { headers[$0] }
            .compactMap { ResourceAddress.resolve($0, against: request.url) }
            .filter { ResourceAddress.origin($0) == origin && $0 != target }
        return [target] + named
    }
}
