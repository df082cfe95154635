package import FirnData
package import FoundationEssentials

/// Putting parts together.
extension StoredPart {
    /// Two answers of one body as one; `nil` if they may not be put together, or leave a gap.
    ///
    /// Both have to have the same strong validator, the same length of the whole, and as many bytes as they announced. Fields are those
    /// of the newer one, and of the older one where it says nothing. What then holds all bytes is a whole answer of status 200.
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
        // Where both have bytes, those of the same body are the same.
        let overlap = end - second.first
        if overlap < tail.count { data.append(tail.dropFirst(overlap)) }
        return (merged(old, new, first: first.first, count: data.count, total: total), data)
    }

    /// The answer that a part and the rest of its body make: whole, if there are as many bytes as the body has.
    package static func merged(
        _ old: StoredResponse, _ new: StoredResponse, first: Int, count: Int, total: Int
    ) -> StoredResponse {
        let names = Set(new.headers.fields.map { $0.name.lowercased() })
        var result = new
        result.headers = HTTPHeaderFields(
            old.headers.fields.filter { !names.contains($0.name.lowercased()) && $0.name.lowercased() != "age" }
                + new.headers.fields)
        result.headers["Content-Length"] = String(count)
        let isWhole = first == 0 && count == total
        result.status = isWhole ? 200 : 206
        result.headers["Content-Range"] = isWhole ? nil : "bytes \(first)-\(first + count - 1)/\(total)"
        return result
    }

    /// The part that is left of a whole answer whose body broke off; `nil` if it could not be gone on from.
    package static func remains(of response: StoredResponse, count: Int) -> StoredResponse? {
        guard response.status == 200, count > 0, BodyValidator(response.headers) != nil,
            response.headers["Content-Encoding"] == nil,
            let total = ResponsePolicy.bodyLength(response.headers, method: "GET"), count < total
        else { return nil }
        return merged(response, response, first: 0, count: count, total: total)
    }

    /// The request for what is missing behind a part that holds the first bytes; `nil` if it cannot be had alone.
    ///
    /// Without a strong validator the rest would be of no use: it could not be put together with what is kept (RFC 9111 §3.3).
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

    /// The whole answer that a part and the answer to that request make, before the rest of its bytes has come; `nil` if that is
    /// something else.
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
