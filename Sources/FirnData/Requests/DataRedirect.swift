/// A redirect that led to a response.
package struct DataRedirect: Hashable, Sendable {
    /// The address that redirected.
    package var url: String
    /// HTTP status: 301, 302, 303, 307 or 308.
    package var status: Int
    /// Header fields of the redirect.
    package var headers: HTTPHeaderFields

    /// Creates a redirect.
    package init(url: String, status: Int, headers: HTTPHeaderFields) {
        self.url = url
        self.status = status
        self.headers = headers
    }
}
