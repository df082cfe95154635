package import FirnData

/// The content coding of a body (RFC 9110 §8.4.1).
package enum ContentCoding: Equatable, Sendable {
    case none
    case gzip
    case deflate
    /// A coding that is not decoded, by its name; also several codings.
    case unknown(String)

    /// Codings that are registered, or were, and are not decoded.
    ///
    /// - Source: IANA, HTTP Content Coding Registry.
    private static let others: Set<String> = [
        "aes128gcm", "br", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "zstd",
    ]

    /// Reads the coding from a response's header. Names of no coding are ignored, as browsers do: stores of objects
    /// send what was uploaded with them, such as `utf-8`, `binary` or `aws-chunked`.
    package init(_ headers: HTTPHeaderFields) {
        let names = headers.values("Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { String($0).lowercased().filter { !$0.isWhitespace } }
        let codings = names.compactMap { ContentCoding(name: $0) }
        switch codings.count {
        case 0: self = .none
        case 1: self = codings[0]
        default: self = .unknown(names.filter { ContentCoding(name: $0) != nil }.joined(separator: ", "))
        }
    }

    /// - Returns: `nil` for the name of no coding.
    private init?(name: String) {
        switch name {
        case "gzip", "x-gzip": self = .gzip
        case "deflate", "x-deflate": self = .deflate
        default:
            guard ContentCoding.others.contains(name) else { return nil }
            self = .unknown(name)
        }
    }
}
