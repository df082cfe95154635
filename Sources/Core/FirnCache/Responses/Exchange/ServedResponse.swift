/// A stored response for a request: the head and body to deliver.
struct ServedResponse {
    let response: DataResponse
    let body: Data

    /// - Returns: `nil` if the stored response cannot serve the request.
    init?(_ found: ResponseStore.Found, for request: DataRequest, _ policy: HTTPCachePolicy, at now: Int64) {
        var headers = found.response.headers
        headers["Age"] = policy.ageField(of: found.response, at: now)
        var (status, content) = (found.response.status, found.data)
        var slice: StoredPart.Slice?
        switch policy.judge(request.headers, found.response) {
        case .unknown: return nil
        case .notModified:
            (status, content) = (304, Data())
            headers = HTTPCachePolicy.notModifiedFields(headers)
        case .send where status == 206:
            slice = StoredPart(found.response)?.slice(request.headers, of: headers, count: content.count)
            guard request.method == "GET", slice != nil else { return nil }
        case .send where status == 200 && request.method == "GET":
            if let text = request.headers["Range"], RangeSpec.isMet(request.headers, by: headers) {
                // The server must handle several ranges, and ranges outside the body.
                guard let bytes = RangeSpec(text)?.bytes(of: content.count) else { return nil }
                let range = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(content.count)"
                slice = StoredPart.Slice(bytes: bytes, contentRange: range)
            }
        case .send: if request.method == "HEAD" { content = Data() }
        }
        if let slice {
            status = 206
            let start = content.startIndex
            content = content[(start + slice.bytes.lowerBound)..<(start + slice.bytes.upperBound)]
            headers["Content-Range"] = slice.contentRange
            headers["Content-Length"] = String(content.count)
        }
        body = content
        let length = request.method == "HEAD" || status == 304 ? nil : body.count
        response = DataResponse(url: found.response.url, status: status, headers: headers, expectedLength: length)
    }

    var events: [DataEvent] {
        [.response(response)] + (body.isEmpty ? [] : [.chunk(body)]) + [.end(nil)]
    }

    /// Returns the response to `only-if-cached` when no stored response is usable (RFC 9111 §5.2.1.7).
    static func nothing(_ request: DataRequest) -> [DataEvent] {
        let head = DataResponse(url: request.url, status: 504, headers: ["Content-Length": "0"], expectedLength: 0)
        return [.response(head), .end(nil)]
    }
}
