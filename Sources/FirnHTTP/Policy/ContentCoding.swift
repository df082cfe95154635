package import FirnData

/// The content coding of a body (RFC 9110 §8.4.1).
package enum ContentCoding: Equatable, Sendable {
    case none
    case gzip
    case deflate
    /// A coding that is not decoded, by its name; also several codings.
    case unknown(String)

    /// Reads the coding from a response's header. `identity`, `none` and empty names are no coding.
    package init(_ headers: HTTPHeaderFields) {
        let names = headers.fields.filter { $0.name.lowercased() == "content-encoding" }
            .flatMap { $0.value.split(separator: ",") }
            .map { String($0).lowercased().filter { !$0.isWhitespace } }
            .filter { !["", "identity", "none"].contains($0) }
        switch names.count {
        case 0: self = .none
        case 1: self = ContentCoding(name: names[0])
        default: self = .unknown(ContentCoding.shown(names.joined(separator: ", ")))
        }
    }

    private init(name: String) {
        switch name {
        case "gzip", "x-gzip": self = .gzip
        case "deflate", "x-deflate": self = .deflate
        default: self = .unknown(ContentCoding.shown(name))
        }
    }

    /// Returns a server's text in a form fit for a message.
    private static func shown(_ text: String) -> String {
        String(text.unicodeScalars.prefix(40).map { (32..<127).contains($0.value) ? Character($0) : "?" })
    }
}
