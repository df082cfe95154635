/// One redirect that was followed on the way to a response.
public struct DataRedirect: Hashable, Sendable {
    /// The address that redirected.
    public var url: String
    /// HTTP status: 301, 302, 303, 307 or 308.
    public var status: Int
    /// Header fields of the redirect.
    public var headers: HTTPHeaderFields

    /// A redirect.
    public init(url: String, status: Int, headers: HTTPHeaderFields) {
        self.url = url
        self.status = status
        self.headers = headers
    }
}
