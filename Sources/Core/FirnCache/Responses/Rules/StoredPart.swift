package import FirnData

/// The bytes of a body that a stored 206 holds, and the part of them that a request receives.
///
/// A single part is sliced by the range that it states. Bytes of two parts are joined only under a strong validator;
/// see ``combined(_:_:with:_:)``.
///
/// Source: RFC 9111 §3.3 and §3.4, RFC 9110 §14.4.
package struct StoredPart: Hashable {
    /// The position of the first byte.
    package let first: Int
    /// The number of bytes that the server stated.
    package let announced: Int
    /// The total length; `nil` if the server does not know it.
    package let total: Int?

    /// Reads the part of a stored response; returns `nil` if it is not a part, or several, or its position is unknown.
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
        /// Positions in the part.
        package let bytes: Range<Int>
        package let contentRange: String
    }

    /// Returns the bytes of the part for a request; `nil` if the request selects others, or more.
    ///
    /// Some servers send fewer bytes than they state. A range from the start is then counted from the first byte, one
    /// from the end from the last.
    /// - Parameter count: the number of bytes that arrived.
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
