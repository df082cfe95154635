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

    /// Joins two responses of one body; returns `nil` if they must not be joined or leave a gap.
    ///
    /// Both need the same strong validator and total length, and as many bytes as stated. Fields come from the newer
    /// response, or from the older one if the newer lacks them. A result with all bytes is a whole response with status
    /// 200.
    /// - Source: RFC 9111 §3.4, RFC 9110 §15.3.7.3.
    package static func combined(
        _ old: StoredResponse, _ oldData: Data, with new: StoredResponse, _ newData: Data
    ) -> (response: StoredResponse, data: Data)? {
        guard let validator = BodyValidator(old.headers), validator.matches(new.headers),
            let a = StoredPart(old), let b = StoredPart(new), let total = a.total, b.total == total,
            oldData.count == a.announced, newData.count == b.announced,
            old.headers["Content-Encoding"] == new.headers["Content-Encoding"]
        else { return nil }
        let (first, second) = a.first <= b.first ? (a, b) : (b, a)
        let (head, tail) = a.first <= b.first ? (oldData, newData) : (newData, oldData)
        let end = first.first + first.announced
        guard second.first <= end else { return nil }
        var data = head
        // Overlapping bytes of the same body are equal.
        let overlap = end - second.first
        if overlap < tail.count { data.append(tail.dropFirst(overlap)) }
        return (merged(old, new, first: first.first, count: data.count, total: total), data)
    }

    /// Returns the response of a part joined with the rest of its body: a whole response if all bytes are present.
    package static func merged(
        _ old: StoredResponse, _ new: StoredResponse, first: Int, count: Int, total: Int
    ) -> StoredResponse {
        var result = new
        result.headers = HTTPCachePolicy.fields(old.headers, replacedBy: new.headers)
        result.headers["Content-Length"] = String(count)
        let isWhole = first == 0 && count == total
        result.status = isWhole ? 200 : 206
        result.headers["Content-Range"] = isWhole ? nil : "bytes \(first)-\(first + count - 1)/\(total)"
        return result
    }

    /// Returns the stored part of a response whose body ended early; `nil` if it cannot be resumed.
    package static func remains(of response: StoredResponse, count: Int) -> StoredResponse? {
        guard response.status == 200, count > 0, BodyValidator(response.headers) != nil,
            response.headers["Content-Encoding"] == nil,
            let total = response.headers.bodyLength, count < total
        else { return nil }
        return merged(response, response, first: 0, count: count, total: total)
    }

    /// Returns the request for the bytes after a stored start of a body; `nil` if they cannot be requested separately.
    ///
    /// Without a strong validator the rest could not be joined with the stored bytes (RFC 9111 §3.3).
    package static func request(
        completing response: StoredResponse, count: Int, _ request: DataRequest
    ) -> DataRequest? {
        let conditions = ["Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]
        guard request.method == "GET", conditions.allSatisfy({ request.headers[$0] == nil }),
            let part = StoredPart(response), part.first == 0, part.announced == count, let total = part.total,
            count < total, let validator = BodyValidator(response.headers)
        else { return nil }
        var rest = request
        rest.headers["Range"] = "bytes=\(count)-"
        rest.headers["If-Range"] = validator.text
        return rest
    }

    /// Returns the whole response for a part and the response to that request, before its remaining bytes arrive; `nil`
    /// if they do not match.
    package static func completed(
        _ old: StoredResponse, count: Int, by new: StoredResponse
    ) -> StoredResponse? {
        guard let validator = BodyValidator(old.headers), validator.matches(new.headers), let part = StoredPart(new),
            let total = part.total, part.first == count, part.first + part.announced == total,
            StoredPart(old)?.total == total, old.headers["Content-Encoding"] == new.headers["Content-Encoding"]
        else { return nil }
        return merged(old, new, first: 0, count: total, total: total)
    }
}
