import AsyncHTTPClient
import FirnData
import FoundationEssentials
import NIOCore
import NIOHTTP1

extension HTTPClient.Request {
    /// The client's form of a request to `url`; throws if the client would not send it.
    init(_ request: DataRequest, _ url: URL) throws {
        var headers = HTTPHeaders()
        headers.reserveCapacity(request.headers.fields.count + 2)
        for field in request.headers.fields { headers.add(name: field.name, value: field.value) }
        if let urgency = request.priority.urgency, request.headers["Priority"] == nil {
            headers.add(name: "Priority", value: urgency)
        }
        try self.init(
            url: url, method: HTTPMethod(rawValue: request.method), headers: headers,
            body: request.body.map { .byteBuffer(ByteBuffer(bytes: $0)) })
    }
}

extension HTTPFields {
    init(_ headers: HTTPHeaders) {
        self.init(headers.map { Field(name: $0.name, value: $0.value) })
    }
}
