import FirnDigest

/// A bucket, or the keys below a prefix in it, and its endpoint.
///
/// Text: `s3://bucket[/prefix][?endpoint=https://host:port&region=REGION&style=path|virtual]`, or
/// `http[s]://host[:port]/bucket[/prefix][?region=REGION]` for servers other than Amazon's.
struct S3Address: Sendable, Hashable {
    enum Style: String, Sendable {
        /// In the path: `https://host/bucket/key`.
        case path
        /// In the host: `https://bucket.host/key`.
        case virtual
    }

    let bucket: String
    /// The prefix of all keys: empty, or ending in `/`.
    let prefix: String
    private let scheme: String
    /// The host of the endpoint, and the port unless it is the scheme's default.
    private let authority: String
    let region: String
    let style: Style

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - region: the region if the text has none. Default: `us-east-1`.
    ///   - server: the endpoint if the text has none. Default: Amazon's.
    /// - Throws: ``ConfigurationError`` that names the invalid part.
    init(_ text: String, region: String? = nil, server: String? = nil) throws(ConfigurationError) {
        func invalid(_ reason: String) -> ConfigurationError {
            ConfigurationError("'\(ServeError.printable(text.utf8))': \(reason)")
        }
        let (rest, server) = S3Address.split(text, server)
        guard let rest else { throw invalid("an S3 address starts with s3://") }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let location = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        bucket = String(location[0])
        guard S3Address.isBucket(bucket) else {
            throw invalid("a bucket has 3 to 63 lower-case letters, digits, dots and hyphens")
        }
        let path = location.dropFirst().first.map(String.init) ?? ""
        prefix = path.isEmpty || path.hasSuffix("/") ? path : path + "/"
        guard prefix.isEmpty || S3Location.isKey(prefix) else { throw invalid("the prefix cannot be part of a key") }
        var values: [Substring: String] = [:]
        for field in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, ["endpoint", "region", "style"].contains(pair[0]), values[pair[0]] == nil,
                let bytes = PercentEncoding.strictlyDecoded(pair[1].utf8)
            else { throw invalid("the options are endpoint, region and style, each at most once, with a value") }
            values[pair[0]] = String(decoding: bytes, as: UTF8.self)
        }
        if values["endpoint"] == nil { values["endpoint"] = server }
        self.region = values["region"] ?? region ?? "us-east-1"
        guard !self.region.isEmpty, self.region.utf8.count <= 64, self.region.utf8.allSatisfy(S3Address.isNameByte)
        else {
            throw invalid("a region has lower-case letters, digits and hyphens, as eu-central-1")
        }
        // The certificate of the host does not match bucket names with dots.
        let standard: Style = values["endpoint"] == nil && !bucket.contains(".") ? .virtual : .path
        guard let style = values["style"].map({ Style(rawValue: $0) }) ?? standard else {
            throw invalid("the style is path or virtual")
        }
        self.style = style
        guard let endpoint = S3Address.endpoint(values["endpoint"], region: self.region) else {
            throw invalid("an endpoint is http:// or https:// with a host, and a port if needed")
        }
        scheme = endpoint.scheme
        authority = String(endpoint.origin.dropFirst(scheme.count + 3))
        let isNumeric = authority.utf8.allSatisfy { (0x30...0x39).contains($0) || ".:".utf8.contains($0) }
        guard style == .path || !isNumeric && !authority.hasPrefix("[") else {
            throw invalid("style=virtual needs an endpoint with a name")
        }
    }

    /// Parses the endpoint of an address; `nil` is Amazon's.
    ///
    /// - Returns: `nil` for other schemes, user names, paths, and malformed hosts or ports.
    private static func endpoint(_ text: String?, region: String) -> WebAddress? {
        let amazon = "https://s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
        let address = WebAddress(text ?? amazon)
        return address.flatMap { $0.port != 0 && $0.text == $0.origin + "/" ? $0 : nil }
    }

    /// Splits an address into its server and the rest, which begins with the bucket.
    private static func split(_ text: String, _ server: String?) -> (rest: Substring?, server: String?) {
        if text.hasPrefix("s3://") { return (text.dropFirst(5), server) }
        for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.count)
            guard let slash = rest.firstIndex(of: "/") else { return (nil, nil) }
            return (rest[rest.index(after: slash)...], scheme + rest[..<slash])
        }
        return (nil, nil)
    }

    /// The host and port of requests, as in the field `Host`.
    var host: String { style == .virtual ? "\(bucket).\(authority)" : authority }

    func path(of key: String) -> String {
        let encoded = S3Location.encoded(key)
        return style == .virtual ? "/\(encoded)" : "/\(bucket)/\(encoded)"
    }

    func url(of key: String) -> String { "\(scheme)://\(host)\(path(of: key))" }

    static func isBucket(_ name: some StringProtocol) -> Bool {
        guard (3...63).contains(name.utf8.count), !name.contains("..") else { return false }
        return !["-", "."].contains { name.hasPrefix($0) || name.hasSuffix($0) }
            && name.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ".") }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains(byte)
    }

    /// Returns a request about an object, signed with AWS Signature Version 4 in the field `Authorization`.
    ///
    /// - Parameters:
    ///   - headers: additional signed fields. Default: none.
    ///   - seconds: the time, in seconds since 1970.
    func request(
        _ method: String, _ key: String, headers: [(String, String)] = [], payload: Data? = nil,
        _ credentials: S3Credentials, at seconds: Int64
    ) -> DataRequest {
        let time = UTCTime(seconds: seconds).text("%Y%m%dT%H%M%SZ")
        let date = String(time.prefix(8))
        let payloadHash = HexadecimalDigest.text(of: payload ?? Data())
        var headers = [("Host", host)] + headers + [("x-amz-content-sha256", payloadHash), ("x-amz-date", time)]
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token)) }
        // The signed values have no spaces at their ends, and single ones inside.
        let lines = headers.map { (name: $0.lowercased(), value: $1.split(separator: " ").joined(separator: " ")) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let names = lines.map(\.name).joined(separator: ";")
        let canonical = [
            method, path(of: key), "", lines.map { "\($0.name):\($0.value)\n" }.joined(), names, payloadHash,
        ].joined(separator: "\n")
        let scope = "\(date)/\(region)/s3/aws4_request"
        let hash = HexadecimalDigest.text(of: Data(canonical.utf8))
        let text = ["AWS4-HMAC-SHA256", time, scope, hash].joined(separator: "\n")
        let signingKey = [date, region, "s3", "aws4_request"].reduce(Array("AWS4\(credentials.secretKey)".utf8)) {
            SHA256.code(of: $1.utf8, key: $0)
        }
        let signature = SHA256.code(of: text.utf8, key: signingKey).hexadecimal
        let proof = "Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
        headers.append(("Authorization", "AWS4-HMAC-SHA256 \(proof)"))
        var request = DataRequest(url: url(of: key), method: method, body: payload)
        for (name, value) in headers { request.headers.append(name, value) }
        return request
    }
}

struct S3Location: Sendable, Hashable {
    let bucket: String
    let key: String

    /// Parses the address of a source, whose key is not encoded: `s3://bucket/key with % and #.jpg`.
    ///
    /// - Returns: `nil` if the bucket is malformed or the key cannot be requested.
    init?(source: String) {
        guard source.hasPrefix("s3://") else { return nil }
        let parts = source.dropFirst(5).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, S3Address.isBucket(parts[0]), S3Location.isKey(parts[1]) else { return nil }
        bucket = String(parts[0])
        key = String(parts[1])
    }

    /// Parses a URL, whose key is percent-encoded.
    ///
    /// - Returns: `nil` unless it equals ``url`` of the object, so that each object has one URL.
    init?(url: String) {
        let bytes = PercentEncoding.decoded(url.utf8)
        guard let text = String(validating: bytes, as: UTF8.self), let location = S3Location(source: text),
            location.url == url
        else { return nil }
        self = location
    }

    /// The URL of the object for pipelines and caches.
    var url: String { "s3://\(bucket)/\(S3Location.encoded(key))" }

    /// Returns the key with all bytes but slashes and unreserved ones percent-encoded, as SigV4 requires.
    static func encoded(_ key: some StringProtocol) -> String {
        key.split(separator: "/", omittingEmptySubsequences: false).map { PercentEncoding.encoded($0.utf8) }
            .joined(separator: "/")
    }

    /// Returns whether a key can be requested: 1 to 1024 bytes, no control characters, and no segment that HTTP
    /// resolves.
    static func isKey(_ key: some StringProtocol) -> Bool {
        guard (1...1024).contains(key.utf8.count), key.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return false
        }
        return !key.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }
}

// The allowed buckets, each with its endpoint and the required prefix of keys.
extension [S3Address] {
    /// Returns the entry that allows an object; `nil` if there is none.
    func bucket(of location: S3Location) -> S3Address? {
        first(where: { $0.bucket == location.bucket && location.key.hasPrefix($0.prefix) })
    }

    /// Parses and checks the address of a source.
    ///
    /// - Returns: the URL for the loader, and the bucket for limits; `nil` if the source is malformed or not allowed.
    func source(_ address: String) -> (url: String, bucket: String)? {
        guard let location = S3Location(source: address), bucket(of: location) != nil else { return nil }
        return (location.url, location.bucket)
    }
}
