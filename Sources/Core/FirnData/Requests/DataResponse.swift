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
    /// The redirects that led to the response, in order. A loader that follows redirects reports them, since each
    /// states its own lifetime. Empty if there were none or the loader does not report them.
    package var redirects: [DataRedirect] = []
    /// True if a 304 comes from the loader itself: redirects led to an address whose stored response is fresh. Default:
    /// `false`.
    public var isUnasked = false
    /// The fields of the request as they were sent; `nil` if they are those of the request as it was made, completed by
    /// the loader.
    package var sentFields: HTTPHeaderFields?
    /// True if an HTTP cache below has judged the response: nothing above stores it.
    package var isJudged = false
    /// Times and bytes of the transfer, after its end. The engine adds them to the loader's response. `nil` if nothing
    /// was measured.
    public var metrics: TransferMetrics? {
        get { measured?.metrics }
        set { measured = newValue.map { .of($0) } }
    }
    /// In one reference, since a response is copied more often than it is measured.
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
