package import FirnData

/// Which bytes of a body a kept 206 holds, and which of them a request may have.
///
/// A part alone is cut by what it says of itself. The bytes of two are put together only under a strong validator; see
/// ``combined(_:_:with:_:)``.
///
/// Source: RFC 9111 §3.3 and §3.4, RFC 9110 §14.4.
package struct StoredPart: Hashable {
    /// Place of the first byte.
    package let first: Int
    /// Number of bytes that the server announced.
    package let announced: Int
    /// Length of the whole; `nil` where the server does not know it.
    package let total: Int?

    /// What a kept answer holds; `nil` if it is no part, or several, or says nothing of its place that could be understood.
    package init?(_ response: StoredResponse) {
        let headers = response.headers
        guard response.status == 206, headers.values("Content-Range").count == 1,
            let range = headers["Content-Range"].flatMap({ ContentRange($0) }),
            headers["Content-Type"]?.lowercased().hasPrefix("multipart/") != true
        else { return nil }
        first = range.first
        announced = range.last - range.first + 1
        total = range.total
    }

    /// Bytes that a request is given.
    package struct Slice: Hashable {
        /// Places in the part.
        package let bytes: Range<Int>
        /// Value of `Content-Range`.
        package let contentRange: String
    }

    /// What a request is given of the part; `nil` if it wants something else, or more.
    ///
    /// Some servers send fewer bytes than they announce. What is asked for by its distance from the start is then counted from the
    /// first byte, and what is asked for from the end is counted from the last.
    /// - Parameter count: bytes that came.
    package func slice(_ request: HTTPHeaderFields, of response: HTTPHeaderFields, count: Int) -> Slice? {
        guard let text = request["Range"], let spec = RangeSpec(text), count > 0, count <= announced,
            ByteRange.isMet(request, by: response)
        else { return nil }
        let endsWhole = total.map { first + announced == $0 } ?? false
        let end = first + count
        switch spec {
        case .between(let from, let to):
            let to = min(to, total.map { $0 - 1 } ?? to)
            guard from >= first, from <= to, to < end else { return nil }
            return slice(from..<(to + 1), from)
        case .from(let from):
            guard endsWhole, from >= first, from < end else { return nil }
            return slice(from..<end, from)
        case .suffix(let length):
            guard endsWhole, let total, length > 0, length <= count else { return nil }
            return Slice(
                bytes: (count - length)..<count, contentRange: "bytes \(total - length)-\(total - 1)/\(total)")
        }
    }

    private func slice(_ places: Range<Int>, _ from: Int) -> Slice {
        Slice(
            bytes: (from - first)..<(places.upperBound - first),
            contentRange: "bytes \(from)-\(places.upperBound - 1)/\(total.map { String($0) } ?? "*")")
    }
}
