import FirnData

package struct S3Location: Sendable, Hashable {
    package let bucket: String
    package let key: String

    /// Reads the address of a source, whose key stands as it is: `s3://bucket/key with % and #.jpg`.
    ///
    /// - Returns: `nil` if the bucket is malformed, or the key is not one that requests can name.
    package init?(source: String) {
        guard source.hasPrefix("s3://") else { return nil }
        let parts = source.dropFirst(5).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, S3Address.isBucket(parts[0]), S3Location.isKey(parts[1]) else { return nil }
        bucket = String(parts[0])
        key = String(parts[1])
    }

    /// Reads a URL, whose key is percent-encoded.
    ///
    /// - Returns: `nil` if it is not the text that ``url`` makes of an object, so that each object has one URL.
    package init?(url: String) {
        let bytes = PercentEncoding.decoded(url.utf8)
        guard let text = String(validating: bytes, as: UTF8.self), let location = S3Location(source: text),
            location.url == url
        else { return nil }
        self = location
    }

    /// The URL by which pipelines and caches know the object.
    package var url: String { "s3://\(bucket)/\(S3Location.encoded(key))" }

    /// Returns the key with every byte percent-encoded but slashes and the unreserved ones, as SigV4 asks.
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
