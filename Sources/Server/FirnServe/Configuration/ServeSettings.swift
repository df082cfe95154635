import HTTPTypes

package struct ServeSettings: Sendable {
    var imgproxy = ImgproxySettings()
    var iiif = IIIFSettings()
    /// The folder of `local://` sources and of IIIF identifiers; `nil` (the default) for none.
    var localRoot: String?
    /// The time for which a checked file below it counts as unchanged. Default: one second.
    var fileFreshness = Duration.seconds(1)
    /// The proxies whose fields state the public address of the server. Default: those on this machine.
    var trustedProxies = ["127.0.0.0/8", "::1"].compactMap { NetworkPolicy.AddressRange($0) }
    /// The hosts that sources may be loaded from. Empty (the default) for none. Addresses outside the public Internet
    /// are refused unless an entry is such an address.
    var allowedHosts: [AllowedHost] = []
    /// The fields that sources get, and those of clients that are passed on to them. Empty (the default) for none.
    var sourceFields: [FieldRule] = []
    /// The fields that responses get, and those of sources that are passed on to clients. Empty (the default) for none.
    var responseFields: [FieldRule] = []
    /// The folder of the disk cache; `nil` for none.
    var cacheDirectory: String?
    /// True if it is used although other users can write to it. Default: false.
    var isCacheShared = false
    /// The maximum size of results in memory, in bytes. Default: 64 MiB.
    var resultMemory = 64 << 20
    /// The time for which a result of an HTTP source is served without checking the source. Default: one hour.
    var resultLifetime = Duration.seconds(3600)
    /// The time for which it is then served stale while it is made again in the background. Default: one day.
    var staleLifetime = Duration.seconds(86_400)
    /// The time limit of a request: waiting, loading the source and computing. Default: 15 seconds.
    var timeLimit = Duration.seconds(15)
    /// The limits of admitted work.
    var admission = AdmissionLimits()
    package var connections = ConnectionLimits()
    /// The time for which requests are accepted after SIGTERM, while `/health` is 503. Default: zero.
    var drainDelay = Duration.zero
    /// The Redis in which the servers of a fleet share results; `nil` (the default) for none.
    var redis: RedisAddress?
    /// The time limit of a reply of Redis, after which the server continues without it. Default: 50 milliseconds.
    var redisTimeLimit = Duration.milliseconds(50)
    /// The buckets that `s3://` sources may come from. Empty (the default) for none.
    var s3Sources: [S3Address] = []
    /// The bucket where the servers of a fleet share results; `nil` (the default) for none.
    var s3Results: S3Address?
    var s3ResultLimits = S3ResultStore.Limits()
    /// True to send the source of a result in the field `Cache-Tag`. Default: false.
    var sendsCacheTag = false
    /// The keys for both kinds of buckets.
    var s3Credentials: S3CredentialStore?
    var tracing = TracingSettings()
    /// The limits of decoding. Default: 50 megapixels, 64 MiB.
    var limits = ImageLimits()

    init() {
        limits.maximumPixels = 50_000_000
        limits.maximumBytes = 64 << 20
    }

    /// Returns limits whose decodes end within the time of a request.
    ///
    /// A tenth is left for the rest, so that an image that takes too long fails by its own limit, which is remembered,
    /// and not by the end of its request.
    func inTime(_ limits: ImageLimits) -> ImageLimits {
        var limits = limits
        let time = timeLimit * 9 / 10
        limits.maximumDecodingTime = limits.maximumDecodingTime.map { min($0, time) } ?? time
        return limits
    }

    /// The addresses to which the loader of sources may connect.
    var network: NetworkPolicy {
        var policy = NetworkPolicy()
        policy.hosts = Set(allowedHosts.map(\.pattern))
        policy.ports = Set([80, 443] + allowedHosts.compactMap(\.port))
        policy.allowed = allowedHosts.flatMap(\.addresses)
        policy.limits = limits
        policy.timeLimit = timeLimit
        return policy
    }

    /// Checks at startup that no other user can forge results.
    ///
    /// - Throws: ``ConfigurationError`` if other users can write to the folder of the disk cache and it is not shared.
    package func checkCache() throws(ConfigurationError) {
        guard let cacheDirectory, !isCacheShared else { return }
        do throws(DataCachingError) {
            try DataCache.check(directory: cacheDirectory, making: ["sources", "results", "tiles"])
        } catch {
            throw ConfigurationError("cache: \(error.message); name a folder of your own, or set shared-cache")
        }
    }

    /// Stores and removes an entry in the folder of the disk cache.
    ///
    /// - Returns: the error if results cannot be stored; `nil` if they can, or if there is no folder.
    package func cacheFailure() -> DataCachingError? {
        guard let cacheDirectory else { return nil }
        let cache = DataCache(directory: "\(cacheDirectory)/results", isShared: isCacheShared)
        do throws(DataCachingError) {
            try cache.store(DataCacheEntry(data: Data([0])), for: "check")
            try cache.remove("check")
            return nil
        } catch {
            return error
        }
    }

    /// The names of the fields that may be passed on from clients.
    var clientFields: [String] { sourceFields.filter { $0.value == nil }.map(\.name) }

    /// Returns the fields to send to an address.
    ///
    /// - Parameter client: the fields of the client's request.
    func fields(for address: WebAddress, _ client: HTTPFields) -> SourceFields {
        var fields = SourceFields()
        for rule in sourceFields where rule.host.map({ [$0].host(of: address) != nil }) ?? false {
            if rule.value == nil { fields.varying.append(rule.name) }
            guard let value = rule.value ?? client.value(rule.name).flatMap({ FieldRule.valid($0) }) else { continue }
            fields.headers[rule.name] = value
            if rule.value == nil { fields.client += "\n\(rule.name.lowercased()): \(value)" }
        }
        return fields
    }
}

/// The maximum amount of concurrent work, running and waiting.
struct AdmissionLimits: Sendable, Equatable {
    /// Work that computes or waits for a core. Default: 128.
    var total = 128
    /// Transfers at once, and work that waits for sources. Default: 1,024.
    var transfers = 1024
    /// Work per client address that computes or waits for a core. Default: 64.
    var perClient = 64
    /// Transfers at once from a source host. Time-outs lower the number for a host. Default: 48.
    var perHost = 48
}

package struct ConnectionLimits: Sendable, Equatable {
    /// The maximum number of open connections. Beyond it, the connection that was idle longest is closed. Default:
    /// 4,096.
    package var most = 4096
    /// The time limit for the head of the first request. Default: 10 seconds.
    var firstRequest = Duration.seconds(10)
    /// The time for which a connection is kept open between requests. Default: 60 seconds.
    var idle = Duration.seconds(60)
    /// The time limit of a request, until the client has read its response. Default: two minutes.
    var response = Duration.seconds(120)
    /// The maximum size of the head of a request, in bytes. Default: 32 KiB.
    var headBytes = 32 << 10
    /// The maximum number of header fields. Default: 100.
    var fields = 100
}

struct TracingSettings: Sendable {
    /// The address that spans are sent to; `nil` (the default) for no spans.
    var endpoint: String?
    /// Further fields of these requests.
    var headers = HTTPHeaderFields()
    /// The name of the service in traces.
    var service = "firn"
    /// The share of new traces that are exported. Default: 1, all of them.
    var sampled = 1.0
}

/// An entry of the list of hosts that sources may be loaded from: `example.org`, `*.example.org`, `example.org:8080`.
struct AllowedHost: Sendable, Hashable, CustomStringConvertible {
    /// A name, or a pattern such as `*.example.org`.
    let pattern: String
    /// The only allowed port; `nil` for the default port of the scheme.
    let port: Int?

    /// The addresses that are allowed although they are outside the public Internet: the entry itself.
    ///
    /// `localhost` always means the loopback addresses; no resolver is asked (RFC 6761 §6.3).
    var addresses: [NetworkPolicy.AddressRange] {
        (pattern == "localhost" ? ["127.0.0.1", "::1"] : [pattern]).compactMap { NetworkPolicy.AddressRange($0) }
    }

    var description: String { pattern + (port.map { ":\($0)" } ?? "") }

    /// - Returns: `nil` if the text is malformed.
    init?(_ text: String) {
        let parts = text.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let name = parts.first, !name.isEmpty,
            name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@") })
        else { return nil }
        pattern = String(name)
        guard parts.count == 2 else {
            port = nil
            return
        }
        guard let number = UInt16(parts[1]), number > 0 else { return nil }
        port = Int(number)
    }
}

extension [AllowedHost] {
    /// Returns the host of an address in lower case if the list allows it. Parses strictly, as a guard must.
    ///
    /// An entry without a port allows only the default port of the scheme.
    /// - Returns: `nil` also for user names, IPv6 addresses (which no entry allows) and port 0.
    func host(of address: WebAddress) -> String? {
        guard address == address.withoutCredentials, !address.host.hasPrefix("["), let origin = Origin(address) else {
            return nil
        }
        let isAllowed = contains { entry in
            NetworkPolicy.contains([entry.pattern], origin.host)
                && (entry.port.map { $0 == origin.port } ?? (address.port == nil))
        }
        return isAllowed ? origin.host : nil
    }
}

/// An entry of `source-fields` or `response-fields`: a header field that is sent, or passed on.
struct FieldRule: Sendable, Hashable, CustomStringConvertible {
    /// The host that gets it; `nil` for responses.
    let host: AllowedHost?
    let name: String
    /// The value; `nil` to pass the field on.
    let value: String?

    var description: String { (host.map { "\($0) " } ?? "") + name + (value.map { ": \($0)" } ?? "") }

    /// Fields that this server, its loader or its caches set themselves.
    private static let reserved: Set<String> = [
        "accept-encoding", "accept-ranges", "age", "cache-control", "content-disposition", "content-encoding",
        "content-length", "content-range", "content-type", "date", "etag", "expect", "expires", "host", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "last-modified", "location", "pragma",
        "range", "retry-after", "server", "set-cookie", "vary", "x-content-type-options", "x-request-id",
    ]

    /// Reads `NAME` or `NAME: VALUE`, after `HOST ` if the field is for sources.
    ///
    /// - Throws: an error without the text, which may have a secret.
    init(_ text: String, isForSources: Bool) throws(ConfigurationError) {
        var rest = text[...]
        host = isForSources ? AllowedHost(String(rest.prefix { $0 != " " })) : nil
        if isForSources { rest = rest.drop { $0 != " " }.drop { $0 == " " } }
        let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        name = parts.first.map(String.init) ?? ""
        value = parts.dropFirst().first.flatMap { FieldRule.valid($0) }
        guard isForSources == (host != nil), HTTPField.Name(name) != nil, (value != nil) == (parts.count > 1),
            !FieldRule.reserved.contains(name.lowercased()), !ConnectionFields.removed(from: [name: ""]).isEmpty
        else {
            let form = isForSources ? "HOST NAME: VALUE" : "NAME: VALUE"
            throw ConfigurationError("an entry is not \(form), or the server sets its field itself")
        }
    }

    /// Returns a value without surrounding white space; `nil` if it is empty, too long or not printable ASCII.
    static func valid(_ value: some StringProtocol) -> String? {
        let bytes = FieldList.trimmed(Array(value.utf8))
        guard (1...4096).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
