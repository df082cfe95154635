/// The codings of a body that are decoded here: content codings (RFC 9110 §8.4.1), and transfer codings except
/// `chunked`, which libcurl decodes.
package enum ContentCoding: Equatable, Sendable {
    /// A supported coding.
    package enum Step: Equatable, Sendable {
        case gzip
        case deflate
    }

    /// The codings in the order in which they were applied; at most ``limit``.
    case steps([Step])
    /// The names of the codings, if one is unsupported or there are too many.
    case unknown(String)

    package static let none = ContentCoding.steps([])

    /// The maximum number of codings of a body. Servers behind a proxy that also compresses send two.
    package static let limit = 2

    /// Registered codings, current or former, that are not supported.
    ///
    /// - Source: IANA, HTTP Content Coding Registry.
    private static let others: Set<String> = [
        "aes128gcm", "br", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "zstd",
    ]

    /// Reads the codings from a response's header. Like browsers, ignores names that are not codings: object stores
    /// return values from uploads, such as `utf-8`, `binary` or `aws-chunked`.
    ///
    /// - Parameter decodesContent: false to keep content codings. Transfer codings are always decoded. Default: true.
    package init(_ headers: HTTPHeaderFields, decodesContent: Bool = true) {
        let values = (decodesContent ? headers.values("Content-Encoding") : []) + headers.values("Transfer-Encoding")
        let names = values.flatMap { $0.split(separator: ",") }
            .map { String($0).lowercased().filter { !$0.isWhitespace } }
            .filter { ContentCoding.step($0) != nil || ContentCoding.others.contains($0) }
        let steps = names.compactMap { ContentCoding.step($0) }
        let isKnown = steps.count == names.count && steps.count <= ContentCoding.limit
        self = isKnown ? .steps(steps) : .unknown(names.joined(separator: ", "))
    }

    private static func step(_ name: String) -> Step? {
        switch name {
        case "gzip", "x-gzip": .gzip
        case "deflate", "x-deflate": .deflate
        default: nil
        }
    }
}
