/// The response of a source, known before the first byte of the body.
public struct DataResponse: Hashable, Sendable {
    /// The address that responded, after redirects.
    public var url: String
    /// HTTP status; `nil` for files.
    public var status: Int?
    /// Header fields received.
    public var headers: HTTPHeaderFields
    /// Length of the body in bytes; `nil` if the source does not state it.
    public var expectedLength: Int?
    /// The redirects that led to the response, in order. A loader that follows redirects reports them, since each has
    /// its own lifetime. Empty if there were none or the loader does not report them.
    package var redirects: [DataRedirect] = []
    /// True if the loader itself produced the 304: redirects led to an address whose stored response is fresh. Default:
    /// `false`.
    public var isUnasked = false
    /// The request's fields as sent; `nil` if they equal those of the request after ``DataLoading/completed(_:)``.
    package var sentFields: HTTPHeaderFields?
    /// True if a lower HTTP cache has decided about storing the response: higher layers do not store it.
    package var isJudged = false
    /// Times and bytes of the transfer, set after it ended. The engine adds them to the loader's response. `nil` if
    /// nothing was measured.
    public var metrics: TransferMetrics? {
        get { measured?.metrics }
        set { measured = newValue.map { .of($0) } }
    }
    /// Kept in one reference, since a response is copied more often than it is measured.
    package var measured: MeasuredTransfer?

    /// Creates a response.
    public init(
        url: String, status: Int? = nil, headers: HTTPHeaderFields = HTTPHeaderFields(),
        expectedLength: Int? = nil
    ) {
        self.url = url
        self.status = status
        self.headers = headers
        self.expectedLength = expectedLength
    }
}

/// A redirect that led to a response.
package struct DataRedirect: Hashable, Sendable {
    /// The address that redirected.
    package var url: String
    /// HTTP status: 301, 302, 303, 307 or 308.
    package var status: Int
    package var headers: HTTPHeaderFields

    package init(url: String, status: Int, headers: HTTPHeaderFields) {
        self.url = url
        self.status = status
        self.headers = headers
    }
}
