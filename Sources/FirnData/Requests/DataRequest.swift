public import FoundationEssentials

/// A request for data: address, method, header fields and body, which are the identity of a download.
public struct DataRequest: Hashable, Sendable {
    /// The address.
    public var url: String
    /// The HTTP method.
    public var method: String
    /// Header fields to send.
    public var headers: HTTPHeaderFields
    /// What is sent behind the header; `nil`, the default, for nothing.
    public var body: Data?
    /// How urgent the download is when it starts; no part of its identity. The pipeline sets it. Default: `normal`.
    public var priority = DataPriority.normal
    /// What to ask the address that redirects led to before; `nil`, the default, for nothing. The pipeline sets it.
    package var targetConditions: TargetConditions?

    /// Whether the address did not come from the program: it was read from a list, a feed or a page, or typed in.
    ///
    /// A loader then keeps to the public Internet, whatever the host's name resolves to. `DataLoader` does so by default;
    /// a loader of your own has to look at it. Part of the request's identity. Default: `false`.
    public var isUntrusted = false

    /// A request for `url`; by default a GET without header fields.
    public init(url: String, method: String = "GET", headers: HTTPHeaderFields = HTTPHeaderFields(), body: Data? = nil)
    {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
    }

    /// Whether the same is fetched, however urgent it is.
    public static func == (a: DataRequest, b: DataRequest) -> Bool {
        a.url == b.url && a.method == b.method && a.headers == b.headers && a.body == b.body
            && a.targetConditions == b.targetConditions && a.isUntrusted == b.isUntrusted
    }

    /// By all parts but the priority.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(method)
        hasher.combine(headers)
        if let body { hasher.combine(body) }
        if let targetConditions { hasher.combine(targetConditions) }
    }
}
