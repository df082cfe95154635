/// What to fetch: the full identity of a download.
public struct DataRequest: Hashable, Sendable {
    /// The address.
    public var url: String
    /// The HTTP method.
    public var method: String
    /// Header fields to send.
    public var headers: HTTPFields

    /// A request for `url`; by default a GET without header fields.
    public init(url: String, method: String = "GET", headers: HTTPFields = HTTPFields()) {
        self.url = url
        self.method = method
        self.headers = headers
    }
}
