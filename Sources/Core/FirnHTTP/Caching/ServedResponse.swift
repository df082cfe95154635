import FirnData
import FoundationEssentials

/// A stored response for a request: the head and body to deliver.
struct ServedResponse {
    let response: DataResponse
    let body: Data

    /// - Returns: `nil` if the stored response cannot serve the request.
    init?(_ found: ResponseStore.Found, for request: DataRequest, _ policy: HTTPCachePolicy, at now: Int64) {
        var headers = found.response.headers
        headers["Age"] = String(policy.age(found.response, at: now) / HTTPCachePolicy.second)
        let status: Int
        switch policy.judge(request.headers, found.response) {
        case .unknown: return nil
        case .notModified:
            status = 304
            headers = HTTPCachePolicy.notModifiedFields(headers)
            body = Data()
        case .send where found.response.status == 206:
            guard request.method == "GET", let part = StoredPart(found.response),
                let slice = part.slice(request.headers, of: headers, count: found.data.count)
            else { return nil }
            status = 206
            let start = found.data.startIndex
            body = found.data[(start + slice.bytes.lowerBound)..<(start + slice.bytes.upperBound)]
            headers["Content-Range"] = slice.contentRange
            headers["Content-Length"] = String(body.count)
        case .send:
            let range =
                request.method == "GET" && found.response.status == 200
                ? ByteRange(request.headers, of: headers, length: found.data.count) : .all
            switch range {
            case .other: return nil
            case .all:
                status = found.response.status
                body = request.method == "HEAD" ? Data() : found.data
            case .some(let bytes):
                status = 206
                body =
                    found.data[(found.data.startIndex + bytes.lowerBound)..<(found.data.startIndex + bytes.upperBound)]
                headers["Content-Range"] = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(found.data.count)"
                headers["Content-Length"] = String(bytes.count)
            }
        }
        let length = request.method == "HEAD" || status == 304 ? nil : body.count
        response = DataResponse(url: found.response.url, status: status, headers: headers, expectedLength: length)
    }

    var events: [DataEvent] {
        [.response(response)] + (body.isEmpty ? [] : [.chunk(body)]) + [.end(nil)]
    }

    /// Returns the response to `only-if-cached` without a usable stored response (RFC 9111 §5.2.1.7).
    static func nothing(_ request: DataRequest) -> [DataEvent] {
        let head = DataResponse(url: request.url, status: 504, headers: ["Content-Length": "0"], expectedLength: 0)
        return [.response(head), .end(nil)]
    }
}
