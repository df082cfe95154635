import FirnData

/// A bucket, or the part of it below a prefix, with the endpoint that serves it.
///
/// Text: `s3://bucket[/prefix][?endpoint=https://host:port&region=REGION&style=path|virtual]`, or
/// `http[s]://host[:port]/bucket[/prefix][?region=REGION]` for a server other than Amazon's.
package struct S3Address: Sendable, Hashable {
    package enum Style: String, Sendable {
        /// In the path: `https://host/bucket/key`.
        case path
        /// In the host: `https://bucket.host/key`.
        case virtual
    }

    package let bucket: String
    /// The start of all keys: empty, or ending in `/`.
    package let prefix: String
    package let endpoint: S3Endpoint
    package let region: String
    package let style: Style

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - region: the region if the text has none. Default: `us-east-1`.
    ///   - server: the endpoint if the text has none. Default: Amazon's.
    /// - Throws: ``ConfigurationError`` that names the part that is wrong.
    package init(_ text: String, region: String? = nil, server: String? = nil) throws(ConfigurationError) {
        func refusal(_ reason: String) -> ConfigurationError {
            ConfigurationError("'\(ServeError.printable(text.utf8))': \(reason)")
        }
        let (rest, server) = S3Address.divided(text, server)
        guard let rest else { throw refusal("an S3 address starts with s3://") }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        bucket = String(place[0])
        guard S3Address.isBucket(bucket) else {
            throw refusal("a bucket has 3 to 63 lower-case letters, digits, dots and hyphens")
        }
        let path = place.count > 1 ? String(place[1]) : ""
        prefix = path.isEmpty || path.hasSuffix("/") ? path : path + "/"
        guard prefix.isEmpty || S3Location.isKey(prefix) else { throw refusal("the prefix cannot be part of a key") }
        var values: [Substring: String] = [:]
        for field in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, ["endpoint", "region", "style"].contains(pair[0]), values[pair[0]] == nil,
                let bytes = PercentEncoding.strictlyDecoded(pair[1].utf8)
            else { throw refusal("the options are endpoint, region and style, each at most once, with a value") }
            values[pair[0]] = String(decoding: bytes, as: UTF8.self)
        }
        if values["endpoint"] == nil { values["endpoint"] = server }
        self.region = values["region"] ?? region ?? "us-east-1"
        guard !self.region.isEmpty, self.region.utf8.count <= 64, self.region.utf8.allSatisfy(S3Address.isNameByte)
        else {
            throw refusal("a region has lower-case letters, digits and hyphens, as eu-central-1")
        }
        // A dot in the bucket's name would not match the certificate of the host.
        let standard: Style = values["endpoint"] == nil && !bucket.contains(".") ? .virtual : .path
        guard let style = values["style"].map({ Style(rawValue: $0) }) ?? standard else {
            throw refusal("the style is path or virtual")
        }
        self.style = style
        guard let endpoint = values["endpoint"].map({ S3Endpoint($0) }) ?? .amazon(region: self.region) else {
            throw refusal("an endpoint is http:// or https:// with a host, and a port if needed")
        }
        self.endpoint = endpoint
        if style == .virtual, endpoint.isNumeric { throw refusal("style=virtual needs an endpoint with a name") }
    }

    /// Divides an address into what follows the scheme or the server, and the server.
    private static func divided(_ text: String, _ server: String?) -> (rest: Substring?, server: String?) {
        if text.hasPrefix("s3://") { return (text.dropFirst(5), server) }
        for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.count)
            guard let slash = rest.firstIndex(of: "/") else { return (nil, nil) }
            return (rest[rest.index(after: slash)...], scheme + rest[..<slash])
        }
        return (nil, nil)
    }

    /// The host and port of requests, as the field `Host` has them.
    package var host: String { style == .virtual ? "\(bucket).\(endpoint.authority)" : endpoint.authority }

    package func path(of key: String) -> String {
        let encoded = S3Location.encoded(key)
        return style == .virtual ? "/\(encoded)" : "/\(bucket)/\(encoded)"
    }

    package func url(of key: String) -> String { "\(endpoint.scheme)://\(host)\(path(of: key))" }

    static func isBucket(_ name: some StringProtocol) -> Bool {
        guard (3...63).contains(name.utf8.count), !name.contains("..") else { return false }
        return !["-", "."].contains { name.hasPrefix($0) || name.hasSuffix($0) }
            && name.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ".") }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains(byte)
    }
}
