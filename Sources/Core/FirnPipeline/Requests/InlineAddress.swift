import FirnData
import FoundationEssentials

/// Reads the bytes out of `data:` URLs.
///
/// - Source: Fetch standard, "data: URL processor"; forgiving base64 of the Infra standard, section 7.
enum InlineAddress {
    /// The bytes; `nil` if there is no comma or the base64 is damaged.
    static func bytes(of url: String) -> Data? {
        let rest = url.utf8.dropFirst("data:".utf8.count).prefix { $0 != UInt8(ascii: "#") }
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let body = PercentEncoding.decoded(rest[rest.index(after: comma)...])
        return isBase64(rest[..<comma]) ? decoded(body) : Data(body)
    }

    /// Returns whether a type ends in `;base64`, with spaces after the semicolon and around.
    private static func isBase64(_ type: Substring.UTF8View) -> Bool {
        let parts = String(decoding: type, as: UTF8.self).split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last else { return false }
        return last.lowercased().split(separator: " ") == ["base64"]
    }

    /// Decodes base64 without padding, too, and with white space.
    private static func decoded(_ text: [UInt8]) -> Data? {
        var letters = text.filter { !" \t\n\u{C}\r".utf8.contains($0) }
        if letters.count % 4 == 0 {
            for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
        }
        guard letters.count % 4 != 1, !letters.contains(UInt8(ascii: "=")) else { return nil }
        letters += repeatElement(UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
        return Data(base64Encoded: Data(letters))
    }
}
