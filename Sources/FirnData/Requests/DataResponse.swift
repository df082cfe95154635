/// The response of a source, known before the first byte of the body.
public struct DataResponse: Hashable, Sendable {
    /// The address that answered, after redirects.
    public var url: String
    /// HTTP status; `nil` where there is none (files).
    public var status: Int?
    /// Header fields received.
    public var headers: HTTPHeaderFields
    /// Length of the body in bytes, where the source says it.
    public var expectedLength: Int?
    /// The redirects that led here, first one first. A loader that follows redirects reports them, since each says for itself how
    /// long it holds. Empty where there were none, or where the loader does not report them.
    package var redirects: [DataRedirect] = []
    /// Whether a 304 was not sent by a server: redirects led to an address, whose kept response is fresh.
    public var isUnasked = false
    /// What the transfer took, once it is over and its source has measured it; an engine adds it to what a loader said first.
    public var metrics: TransferMetrics? {
        get { measured?.metrics }
        set { measured = newValue.map { .of($0) } }
    }
    /// Behind one reference: a response is handed about much more often than it is measured.
    package var measured: MeasuredTransfer?

    /// A response.
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
