public import FirnData
public import FirnImage

/// The settings of a loader: time limits, header fields, redirects, TLS, proxies, allowed addresses. Known as ``DataLoader/Configuration``.
public struct LoaderConfiguration: Sendable {
    /// How long making a connection may take, name look-up and TLS included. 10 s: what a slow mobile network
    /// needs to answer, and what a person waits.
    public var connectTimeout: Duration = .seconds(10)

    /// How long the source may take from the request to its answer. `nil`, the default: as long as ``idleTimeout``.
    public var firstByteTimeout: Duration?

    /// How long the source may send nothing: from the request to its answer, and from one piece of the body to
    /// the next. 30 s: longer than any pause of a living server. Time while a transfer is paused does not count.
    public var idleTimeout: Duration = .seconds(30)

    /// The least bytes a second that a body may bring over ``lowSpeedTime``; 0 for no limit. 1024: an image of 30 KB would
    /// take half a minute. A transfer that brings less ends with ``/FirnData/DataLoadingError/Cause/timeout``; what has come
    /// by then can be resumed. Bytes count as they come over the line, before decompression. Time while a transfer is paused
    /// does not count.
    public var lowSpeedLimit = 1024

    /// For how long a body may bring less than ``lowSpeedLimit``. 30 s, as ``idleTimeout``. Counts from the answer's head.
    public var lowSpeedTime: Duration = .seconds(30)

    /// How long a whole transfer may take, from its start to its end. No limit by default: a large file on a slow
    /// line is not an error. A transfer that takes longer ends with ``/FirnData/DataLoadingError/Cause/timeout`` and is not
    /// tried again.
    public var totalTimeout: Duration?

    /// How many redirects are followed. 10: half of what browsers allow, more than any honest chain has.
    public var redirectLimit = 10

    /// Whether a redirect may lead from https to http, where everybody on the way can read and change what is sent. No.
    public var allowsInsecureRedirects = false

    /// What a body may cost: of the limits the loader looks at `maximumBytes`, after decompression, and `maximumExpansion`. A
    /// longer body ends with ``/FirnData/DataLoadingError/Cause/tooLarge(limit:)``. A standard pipeline takes all limits of its
    /// loader for its own; see ``/FirnImage/ImageLimits`` for the defaults.
    public var limits = ImageLimits()

    /// How many transfers run at once for one scheme, host and port; more wait their turn. 6: what browsers open
    /// to one HTTP/1.1 server.
    public var transfersPerHost = 6

    /// How many transfers run at once in all. No limit by default: the engine has its own.
    public var transferLimit = Int.max

    /// Header fields that are sent unless the request names them itself.
    public var headers = LoaderConfiguration.standardHeaders

    /// Fields that a redirect to another scheme, host or port does not take along, beside `Authorization`, `Cookie` and
    /// `Proxy-Authorization`: the names of tokens of your own.
    public var privateHeaders: [String] = []

    /// Whether an answer of any status is delivered as it came, redirects included unless ``followsRedirects``. `false`:
    /// a request for an image cannot use the body of an error. Caches and proxies set it.
    public var acceptsAnyStatus = false

    /// Whether redirects are followed. `true`.
    public var followsRedirects = true

    /// Whether `gzip` and `deflate` are asked for and undone. `true`. Whoever passes bodies on with their fields sets it to
    /// `false`.
    public var decompresses = true

    /// Whether HTTP/2 is spoken with TLS servers that offer it. `true`.
    public var allowsHTTP2 = true

    /// The settings of TLS: trusted authorities, the client certificate, the versions.
    public var tls = TLSSettings()

    /// The proxies that requests go through. The usual environment variables say it by default.
    public var proxies = ProxySettings.environment

    /// The addresses that the loader may connect to, for trusted and untrusted URLs. Default: `nil`, all addresses, because
    /// a program may contact its own machine and network.
    public var network: NetworkPolicy?

    /// The addresses that requests may connect to whose URL did not come from the program (``/FirnData/DataRequest/isUntrusted``); besides
    /// ``network``, if that is set. Default: ``NetworkPolicy/guarded``, the public Internet. `nil` for all addresses.
    public var untrustedNetwork: NetworkPolicy? = .guarded

    /// Where a redirect may lead that comes from an address which this policy permits; counts where no other policy does, and
    /// judges addresses only. Default: the public Internet, so that a server outside cannot have a program ask a server inside
    /// its network. A server inside may redirect anywhere. `nil`: so may all.
    public var redirectNetwork: NetworkPolicy? = NetworkPolicy()

    /// Looks hosts up. `nil`, the default: the system, and the HTTP client does it as part of connecting, unless a policy has
    /// to judge the address.
    package var resolver: (any HostResolving)?

    /// Creates the defaults.
    public init() {}

    /// `User-Agent`, and an `Accept` that prefers images: servers that hold one in several formats choose by it.
    public static let standardHeaders: HTTPHeaderFields = [
        "User-Agent": "Firn/\(FirnVersion.current)",
        "Accept": "image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8,*/*;q=0.5",
    ]

    /// What a request's transfer is held to.
    func transferGuard(for request: DataRequest) -> TransferGuard {
        TransferGuard(
            network: network, untrusted: request.isUntrusted ? untrustedNetwork : nil, redirects: redirectNetwork)
    }

    func completed(_ request: DataRequest) -> DataRequest {
        var request = request
        for field in headers.fields where request.headers[field.name] == nil {
            request.headers.append(field.name, field.value)
        }
        return request
    }
}
