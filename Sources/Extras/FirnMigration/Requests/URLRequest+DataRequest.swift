import Foundation
public import FoundationNetworking

extension DataRequest {
    /// Creates a request from the URL, method, header fields and body of a `URLRequest`. Its cache policy and timeout
    /// are ignored: they are options of ``/FirnPipeline/ImageRequest`` and settings of the loader.
    public init(_ request: URLRequest) {
        self.init(url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET", body: request.httpBody)
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            headers.append(name, value)
        }
    }
}

extension URLRequest {
    /// Creates the same request for Foundation; `nil` if the address is not a URL. Fields with the same name are joined
    /// by commas.
    public init?(_ request: DataRequest) {
        guard let url = WebAddress.url(request.url) else { return nil }
        self.init(url: url)
        httpMethod = request.method
        httpBody = request.body
        for field in request.headers.fields { addValue(field.value, forHTTPHeaderField: field.name) }
    }
}

extension DataResponse {
    /// Creates a response from the URL, the length and, for HTTP, the status and header fields of a `URLResponse`.
    public init(_ response: URLResponse) {
        let http = response as? HTTPURLResponse
        // The length of a compressed body differs from that of the delivered bytes.
        let isCoded = http?.value(forHTTPHeaderField: "Content-Encoding") != nil
        let length = response.expectedContentLength
        self.init(
            url: response.url?.absoluteString ?? "", status: http?.statusCode,
            expectedLength: length > 0 && !isCoded ? Int(clamping: length) : nil)
        for (name, value) in http?.allHeaderFields ?? [:] {
            headers.append(String(describing: name), String(describing: value))
        }
    }

    /// The same response for Foundation; `nil` if the address is not a URL.
    public var urlResponse: URLResponse? {
        guard let url = WebAddress.url(url) else { return nil }
        let fields = Dictionary(headers.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        if let status {
            return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        }
        return URLResponse(url: url, mimeType: nil, expectedContentLength: expectedLength ?? -1, textEncodingName: nil)
    }
}
