public import FirnData
public import FirnImage

/// The settings of a loader: time limits, header fields, redirects, TLS, proxies, allowed addresses. Also named
/// ``DataLoader/Configuration``.
public struct LoaderConfiguration: Sendable {
    /// The maximum time to connect, with the name lookup and TLS. Default: 10 seconds, which a slow mobile network
    /// needs and users accept.
    public var connectTimeout: Duration = .seconds(10)

    /// The maximum time from the request to its response; `nil` (the default): ``idleTimeout``.
    public var firstByteTimeout: Duration?

    /// The maximum time without received bytes: from the request to its response, and between pieces of the body.
    /// Default: 30 seconds, longer than any pause of a working server. Time while a transfer is paused does not count.
    public var idleTimeout: Duration = .seconds(30)

    /// The minimum bytes per second of a body over ``lowSpeedTime``; 0 for no limit. Default: 1024, at which an image
    /// of 30 KB takes half a minute. A slower transfer ends with ``/FirnData/DataLoadingError/Cause/timeout``; the
    /// received bytes can be resumed. Bytes count before decompression. Time while a transfer is paused does not count.
    public var lowSpeedLimit = 1024

    /// The time for which a body may be slower than ``lowSpeedLimit``, from the response's head. Default: 30 seconds,
    /// as for ``idleTimeout``.
    public var lowSpeedTime: Duration = .seconds(30)

    /// The maximum time of a whole transfer; `nil` (the default) for no limit, since a large file on a slow line is not
    /// an error. A longer transfer ends with ``/FirnData/DataLoadingError/Cause/timeout`` and is not retried.
    public var totalTimeout: Duration?

    /// The maximum number of redirects. Default: 10, half of what browsers allow and more than any legitimate chain
    /// has.
    public var redirectLimit = 10

    /// True if a redirect may lead from https to http, where anyone on the path can read and change the data. Default:
    /// no.
    public var allowsInsecureRedirects = false

    /// The limits of bodies. The loader checks `maximumBytes`, after decompression, and `maximumExpansion`. A longer
    /// body ends with ``/FirnData/DataLoadingError/Cause/tooLarge(limit:)``. In a pipeline the limits of the pipeline
    /// hold, if it sets any; otherwise these are the pipeline's. See ``/FirnImage/ImageLimits`` for the defaults.
    public var limits = ImageLimits()

    /// The maximum number of concurrent transfers for one scheme, host and port. Default: `nil`, which is 6 for a
    /// loader alone, as in browsers for an HTTP/1.1 server, and no limit in a pipeline, whose `Scheduling` has one.
    public var transfersPerHost: Int?

    /// The maximum number of concurrent transfers in total. Default: no limit, since the engine has its own.
    public var transferLimit = Int.max

    /// Header fields that are sent unless the request has them. Default: ``standardHeaders``.
    public var headers = LoaderConfiguration.standardHeaders

    /// Header fields, such as your own tokens, that a redirect to another scheme, host or port does not receive, in
    /// addition to `Authorization`, `Cookie` and `Proxy-Authorization`. Default: none.
    public var privateHeaders: [String] = []

    /// True if a response of any status is delivered unchanged; redirects, too, unless ``followsRedirects``. Default:
    /// `false`, since a request for an image cannot use the body of an error. Caches and proxies set it.
    public var acceptsAnyStatus = false

    /// True if redirects are followed. Default: `true`.
    public var followsRedirects = true

    /// True if `gzip` and `deflate` are requested and decoded. Default: `true`. A proxy that passes bodies on with
    /// their fields sets it to `false`.
    public var decompresses = true

    /// True if HTTP/2 is used with TLS servers that offer it. Default: `true`.
    public var allowsHTTP2 = true

    /// Tries HTTP/3 first with TLS servers, where the system's libcurl has it. Default: `false`, since many
    /// networks block it, which costs time before HTTP/2 or 1.1 is used.
    public var allowsHTTP3 = false

    /// The settings of TLS: trusted authorities, the client certificate, the versions.
    public var tls = TLSSettings()

    /// The proxies of requests. Default: those of the usual environment variables.
    public var proxies = ProxySettings.environment

    /// The addresses that the loader may connect to. Default: ``NetworkPolicy/standard``: the program may contact any
    /// address; untrusted requests and redirects from the public Internet may not leave it.
    public var network = NetworkPolicy.standard

    /// Resolves hosts. `nil` (the default): the system does.
    package var resolver: (any HostResolving)?

    /// Creates the default settings.
    public init() {}

    /// `User-Agent`, and an `Accept` that prefers images, by which servers choose among several formats.
    public static let standardHeaders: HTTPHeaderFields = [
        "User-Agent": "Firn/\(FirnVersion.current)",
        "Accept": "image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8,*/*;q=0.5",
    ]

    func transferGuard(for request: DataRequest) -> TransferGuard {
        TransferGuard(
            network: network.allRequests, untrusted: request.isUntrusted ? network.untrustedRequests : nil,
            redirects: network.redirects)
    }

    func completed(_ request: DataRequest) -> DataRequest {
        var request = request
        for field in headers.fields where request.headers[field.name] == nil {
            request.headers.append(field.name, field.value)
        }
        return request
    }
}
