internal import FoundationEssentials

/// The texts of an XMP packet: attributes, elements, and the first item of a list.
struct XMPTexts {
    private let packet: Substring

    init(_ packet: Data) { self.packet = Substring(decoding: packet.prefix(1 << 20), as: UTF8.self) }

    /// Returns the text of a property; `nil` if the packet does not have it.
    func text(_ property: String) -> String? {
        let bytes = packet.utf8
        if let attribute = packet.firstRange(of: property + "=\"") {
            let rest = bytes[attribute.upperBound...]
            return rest.firstIndex(of: UInt8(ascii: "\"")).map { Self.plain(packet[attribute.upperBound..<$0]) }
        }
        guard let start = packet.firstRange(of: "<" + property), let end = packet.firstRange(of: "</\(property)>"),
            start.upperBound < end.lowerBound
        else { return nil }
        // The content follows the last tag that opens: of the property, or of the first item of its list.
        var content = packet[start.upperBound..<end.lowerBound]
        if let item = content.firstRange(of: "<rdf:li") { content = content[item.upperBound...] }
        guard let close = content.utf8.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        content = content[content.utf8.index(after: close)...]
        return Self.plain(content.prefix { $0 != "<" })
    }

    /// Replaces the five entities of XML.
    private static func plain(_ text: Substring) -> String {
        var plain = String(text)
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
            plain = plain.replacing(entity, with: character)
        }
        return plain.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
