import AsyncHTTPClient
import FirnData
import FoundationEssentials
import NIOCore
import NIOHTTP1

extension HTTPClient.Request {
    /// Converts a request to `url` to the client's form. Throws if the client would not send it.
    ///
    /// - Parameter decompresses: whether content codings are requested, unless the request names them.
    init(_ request: DataRequest, _ url: URL, decompresses: Bool) throws {
        var headers = HTTPHeaders()
        headers.reserveCapacity(request.headers.fields.count + 3)
        for field in request.headers.fields { headers.add(name: field.name, value: field.value) }
        if let urgency = request.priority.urgency, request.headers["Priority"] == nil {
            headers.add(name: "Priority", value: urgency)
        }
        if decompresses, request.headers["Accept-Encoding"] == nil {
            headers.add(name: "Accept-Encoding", value: "gzip, deflate")
        }
        try self.init(
            url: url, method: HTTPMethod(rawValue: request.method), headers: headers,
            body: request.body.map { .byteBuffer(ByteBuffer(bytes: $0)) })
    }
}

extension HTTPHeaderFields {
    init(_ headers: HTTPHeaders) {
        self.init(headers.map { Field(name: $0.name, value: $0.value) })
    }
}
