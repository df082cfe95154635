/// A request for data: address, method, header fields and body. Together they identify a download.
public struct DataRequest: Hashable, Sendable {
    /// The address.
    public var url: String
    /// The HTTP method.
    public var method: String
    /// Header fields to send.
    public var headers: HTTPHeaderFields
    /// The request's body; `nil` (the default) for none.
    public var body: Data?
    /// The priority at which the download starts. Not part of its identity. The pipeline sets it. Default: `normal`.
    public var priority = DataPriority.normal
    /// Conditions for the address that earlier redirects led to; `nil` (the default) for none. The pipeline sets it.
    package var targetConditions: TargetConditions?

    /// True if the body may be longer than the loader's limit, since it is not held in memory. The limits of a network
    /// policy still apply. Not part of the request's identity. Default: `false`.
    package var isUnlimited = false

    /// True if the address comes from outside the program: from a list, a feed, a page, or user input.
    ///
    /// A loader must then connect only to the public Internet, whatever the host's name resolves to. `DataLoader` does
    /// so by default; other loaders have to check this themselves. Part of the request's identity. Default: `false`.
    public var isUntrusted = false

    /// The origin of the request for loaders, such as the span that it belongs to. Not part of the request's identity,
    /// so a shared transfer has that of the first request. Default: `nil`.
    package var context: (any AnyObject & Sendable)?

    /// Separates the work and cache entries of one address: requests share nothing with those of another revision. Not
    /// sent. Part of the request's identity. Default: 0.
    package var revision = 0

    /// Creates a request for `url`. Default: a GET without header fields.
    public init(url: String, method: String = "GET", headers: HTTPHeaderFields = HTTPHeaderFields(), body: Data? = nil)
    {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
    }

    /// Returns whether both requests load the same data, regardless of priority, limit and context.
    public static func == (a: DataRequest, b: DataRequest) -> Bool {
        a.url == b.url && a.method == b.method && a.headers == b.headers && a.body == b.body
            && a.targetConditions == b.targetConditions && a.isUntrusted == b.isUntrusted && a.revision == b.revision
    }

    /// Hashes the parts that tell most requests apart.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(method)
        hasher.combine(headers)
        hasher.combine(revision)
    }
}

/// Conditions sent only to the address that earlier redirects led to.
///
/// Validators belong to the address that sent them (RFC 9110 §8.8.3): the same entity tag means nothing for another
/// address. A loader that follows redirects adds ``headers`` to the request for ``url`` and to no other. A loader that
/// ignores them loads the whole body.
package struct TargetConditions: Hashable, Sendable {
    /// The address that sent the validators.
    package var url: String
    /// `If-None-Match` and `If-Modified-Since`.
    package var headers: HTTPHeaderFields
    /// True if the stored response of ``url`` is fresh. A loader redirected there then need not send a request: it
    /// reports a response with status 304 and ``DataResponse/isUnasked``, and ends the transfer.
    package var isFresh: Bool

    package init(url: String, headers: HTTPHeaderFields, isFresh: Bool = false) {
        self.url = url
        self.headers = headers
        self.isFresh = isFresh
    }
}
