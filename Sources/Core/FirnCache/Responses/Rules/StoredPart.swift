package import FirnData

/// The bytes of a body in a stored 206, and the slice of them for a request.
///
/// A single part is sliced by its stated range. Bytes of two parts are joined only under a strong validator; see
/// ``combined(_:_:with:_:)``.
///
/// Source: RFC 9111 §3.3 and §3.4, RFC 9110 §14.4.
package struct StoredPart: Hashable {
    /// The position of the first byte.
    package let first: Int
    /// The number of bytes that the server announced.
    package let announced: Int
    /// The total length; `nil` if the server does not know it.
    package let total: Int?

    /// Reads the part of a stored response; returns `nil` if it is not a single part at a known position.
    package init?(_ response: StoredResponse) {
        let headers = response.headers
        guard response.status == 206, let range = ContentRange(headers), !ContentRange.hasParts(headers) else {
            return nil
        }
        first = range.first
        announced = range.last - range.first + 1
        total = range.total
    }

    /// The bytes for a request.
    package struct Slice: Hashable {
        /// Their positions in the part.
        package let bytes: Range<Int>
        package let contentRange: String
    }

    /// Returns the bytes of the part for a request; `nil` if the request selects bytes outside the part.
    ///
    /// Some servers send fewer bytes than announced. A range from the start then counts from the first byte, one from
    /// the end from the last byte.
    /// - Parameter count: the number of bytes received.
    package func slice(_ request: HTTPHeaderFields, of response: HTTPHeaderFields, count: Int) -> Slice? {
        guard let text = request["Range"], let spec = RangeSpec(text), count > 0, count <= announced,
            RangeSpec.isMet(request, by: response)
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
