import FirnData
import FoundationEssentials

/// Reads the bytes out of `data:` URLs.
///
/// Source: RFC 2397; base64 by RFC 4648 §4, white space skipped.
enum InlineAddress {
    /// The bytes; `nil` if there is no comma or the base64 is damaged.
    static func bytes(of url: String) -> Data? {
        let rest = Substring(url).dropFirst("data:".count)
        guard let comma = rest.firstIndex(of: ",") else { return nil }
        let body = PercentEncoding.decoded(rest[rest.index(after: comma)...].utf8)
        let isBase64 = rest[..<comma].lowercased().hasSuffix(";base64")
        return isBase64 ? Data(base64Encoded: Data(body), options: .ignoreUnknownCharacters) : Data(body)
    }
}
