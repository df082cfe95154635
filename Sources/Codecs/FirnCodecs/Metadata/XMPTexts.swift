import FoundationEssentials

/// The texts of an XMP packet: attributes, elements, and the first item of a list.
struct XMPTexts {
    /// The most bytes of a packet that are examined, and of a text that is returned.
    private static let maximumBytes = 1 << 20
    private static let maximumTextBytes = 16 << 10

    private let packet: ArraySlice<UInt8>

    init(_ packet: Data) { self.packet = Self.examined(packet) }

    /// Returns the bytes of a packet that are examined.
    static func examined(_ packet: Data) -> ArraySlice<UInt8> { Array(packet.prefix(maximumBytes))[...] }

    /// Returns the text of a property; `nil` if the packet does not have it.
    func text(_ property: String) -> String? {
        if let attribute = packet.firstPlace(of: property + "=\"") {
            let rest = packet[attribute.upperBound...]
            return rest.firstIndex(of: UInt8(ascii: "\"")).map { Self.plain(packet[attribute.upperBound..<$0]) }
        }
        guard let start = packet.firstPlace(of: "<" + property), let end = packet.firstPlace(of: "</\(property)>"),
            start.upperBound < end.lowerBound
        else { return nil }
        // The content follows the last tag that opens: of the property, or of the first item of its list.
        var content = packet[start.upperBound..<end.lowerBound]
        if let item = content.firstPlace(of: "<rdf:li") { content = content[item.upperBound...] }
        guard let close = content.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        return Self.plain(content[(close + 1)...].prefix { $0 != UInt8(ascii: "<") })
    }

    /// Replaces the five entities of XML.
    private static func plain(_ text: ArraySlice<UInt8>) -> String {
        var plain = String(decoding: text.prefix(maximumTextBytes), as: UTF8.self)
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
            plain = plain.replacing(entity, with: character)
        }
        return plain.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension ArraySlice<UInt8> {
    /// Returns the first place of a text; `nil` if there is none.
    ///
    /// - Complexity: a comparison with the text, which is short, for each byte that is its first one.
    func firstPlace(of text: String) -> Range<Int>? {
        let wanted = Array(text.utf8)
        guard let first = wanted.first else { return nil }
        let bytes = span.bytes
        guard bytes.byteCount >= wanted.count else { return nil }
        let places = bytes.extracting(0...bytes.byteCount - wanted.count)
        var place = 0
        while let found = places.offset(of: first, from: place) {
            if wanted.indices.allSatisfy({ bytes.byte(at: found + $0) == wanted[$0] }) {
                return startIndex + found..<startIndex + found + wanted.count
            }
            place = found + 1
        }
        return nil
    }
}
