package import FoundationEssentials

/// Describes content that no decoder recognizes, based on its first bytes.
package enum UnknownContent {
    /// Returns the error for content that starts with `head`.
    package static func error(_ head: Data) -> ImageDecodingError {
        if let format = ImageFormat.sniff(head) {
            let trait = KnownFormat.of(format)?.trait
            let advice = trait.map { "enable the package trait \($0)" } ?? "add a decoder for it"
            return ImageDecodingError(.unsupported, "no decoder for this format is here; \(advice)", format: format)
        }
        let text = String(decoding: head.prefix(256), as: UTF8.self).lowercased().drop(while: \.isWhitespace)
        if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") || text.hasPrefix("<head") {
            return ImageDecodingError(.data, "not an image: the content is an HTML page")
        }
        if ["<?xml", "<!--", "<!doctype"].contains(where: text.hasPrefix) {
            return ImageDecodingError(.data, "not an image: the content is XML")
        }
        let bytes = head.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return ImageDecodingError(
            .data, "not an image of a known format: the content starts with \(bytes.joined(separator: " "))")
    }
}
