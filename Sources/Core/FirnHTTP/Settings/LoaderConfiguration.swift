public import FirnImage

/// The settings of a loader: time limits, header fields, redirects, TLS, proxies, allowed addresses. Also named
/// ``DataLoader/Configuration``.
///
/// Certificates and keys are the content of PEM files. If it is damaged, requests fail with `insecure`.
public struct LoaderConfiguration: Sendable {
    /// The maximum time to connect, including name lookup and TLS. Default: 10 seconds, enough for a slow mobile
    /// network and acceptable to users.
    public var connectTimeout: Duration = .seconds(10)

    /// The maximum time from the request to its response; `nil` (the default): ``idleTimeout``.
    public var firstByteTimeout: Duration?

    /// The maximum time without received bytes: before the response, and between pieces of the body. Default: 30
    /// seconds, longer than any pause of a working server. Time while a transfer is paused does not count.
    public var idleTimeout: Duration = .seconds(30)

    /// The minimum bytes per second of a body, averaged over ``lowSpeedTime``; 0 for no limit. Default: 1024, at which
    /// an image of 30 KB takes half a minute. A slower transfer ends with ``/FirnData/DataLoadingError/Cause/timeout``
    /// and can be resumed. Bytes count before decompression. Time while a transfer is paused does not count.
    public var lowSpeedLimit = 1024

    /// The time for which a body may be slower than ``lowSpeedLimit``, from the response's head. Default: 30 seconds,
    /// like ``idleTimeout``.
    public var lowSpeedTime: Duration = .seconds(30)

    /// The maximum time of a whole transfer; `nil` (the default) for no limit, since a large file on a slow line is not
    /// an error. A longer transfer ends with ``/FirnData/DataLoadingError/Cause/timeout`` and is not retried.
    public var totalTimeout: Duration?

    /// The maximum number of redirects. Default: 10, half of the browsers' limit and more than any legitimate chain
    /// needs.
    public var redirectLimit = 10

    /// True if a redirect may lead from https to http, where the data can be read and changed on the way. Default: no.
    public var allowsInsecureRedirects = false

    /// The limits of bodies. The loader checks `maximumBytes`, after decompression, and `maximumExpansion`. A longer
    /// body ends with ``/FirnData/DataLoadingError/Cause/tooLarge(limit:)``. A pipeline's own limits take precedence; a
    /// pipeline without limits adopts these. See ``/FirnImage/ImageLimits`` for the defaults.
    public var limits = ImageLimits()

    /// The maximum number of concurrent transfers per scheme, host and port. Default: `nil`, which means 6 for a
    /// stand-alone loader, as in browsers for HTTP/1.1, and no limit in a pipeline, whose `Scheduling` has one.
    public var transfersPerHost: Int?

    /// The maximum number of concurrent transfers in total. Default: no limit, since the engine has its own.
    public var transferLimit = Int.max

    /// Header fields to send unless the request has them. Default: ``standardHeaders``.
    public var headers = LoaderConfiguration.standardHeaders

    /// Header fields, such as your own tokens, that are not sent after a redirect to another scheme, host or port, in
    /// addition to `Authorization`, `Cookie` and `Proxy-Authorization`. Default: none.
    public var privateHeaders: [String] = []

    /// True if a response of any status is delivered unchanged, including redirects unless ``followsRedirects``.
    /// Default: `false`, since an image request cannot use the body of an error. Caches and proxies set it.
    public var acceptsAnyStatus = false

    /// True if redirects are followed. Default: `true`.
    public var followsRedirects = true

    /// True if `gzip` and `deflate` are requested and decoded. Default: `true`. A proxy that forwards bodies with their
    /// fields sets it to `false`.
    public var decompresses = true

    /// True if HTTP/2 is used with TLS servers that offer it. Default: `true`.
    public var allowsHTTP2 = true

    /// True if HTTP/3 is tried first with TLS servers, where the system's libcurl supports it. Default: `false`, since
    /// many networks block it, which delays the fallback to HTTP/2 or 1.1.
    public var allowsHTTP3 = false

    /// The authorities that sign the certificates of trusted servers; `nil` (the default) for the system's.
    public var authorities: Data?

    /// Additional trusted authorities. Default: none.
    public var furtherAuthorities: [Data] = []

    /// True if the certificates of servers are verified. Default: `true`. `false` is for tests only: anyone on the path
    /// can then impersonate the server.
    public var verifiesCertificates = true

    /// True if servers must support TLS 1.3. Default: no, since 1.2 is secure. Older versions are never used (RFC
    /// 8996).
    public var requiresTLS13 = false

    /// The client certificate, followed by the intermediate certificates, and its key; `nil` (the default) for none.
    var clientCertificate: (chain: Data, key: Data)?

    /// The proxies of requests. Default: those of the usual environment variables.
    public var proxies = ProxySettings.environment

    /// The policy for all requests. Default: `nil`, which allows all addresses, because a program may contact its own
    /// machine and network.
    public var network: NetworkPolicy?

    /// The policy for requests with a URL from outside the program (``/FirnData/DataRequest/isUntrusted``), in addition
    /// to ``network``. Default: ``NetworkPolicy/guarded``. `nil` for all addresses.
    public var untrustedPolicy: NetworkPolicy? = .guarded

    /// The policy for a redirect from an address that this policy allows, if no other policy applies. Only addresses
    /// are checked. Default: the public Internet, so a public server cannot make the program contact an internal one.
    /// An internal server may redirect anywhere. `nil` allows all redirects.
    public var redirectPolicy: NetworkPolicy? = NetworkPolicy()

    /// Resolves hosts. Default: `nil`, the system's resolver.
    package var resolver: (any HostResolving)?

    /// Creates the default settings.
    public init() {}

    /// Sets the client certificate, which authenticates the loader to servers that require one.
    ///
    /// - Parameters:
    ///   - chain: the certificate, followed by the intermediate certificates.
    ///   - key: the certificate's private key.
    public mutating func setClientCertificate(chain: Data, key: Data) {
        clientCertificate = (chain, key)
    }

    /// `User-Agent`, and an `Accept` that prefers images, which servers use to choose a format.
    public static let standardHeaders: HTTPHeaderFields = [
        "User-Agent": "Firn/\(FirnVersion.current)",
        "Accept": "image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8,*/*;q=0.5",
    ]

    func transferGuard(for request: DataRequest) -> TransferGuard {
        TransferGuard(
            network: network, untrusted: request.isUntrusted ? untrustedPolicy : nil, redirects: redirectPolicy)
    }

    func completed(_ request: DataRequest) -> DataRequest {
        var request = request
        for field in headers.fields where request.headers[field.name] == nil {
            request.headers.append(field.name, field.value)
        }
        return request
    }
}
