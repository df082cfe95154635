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
        for quote in ["\"", "'"] {
            guard let attribute = packet.firstPlace(of: "\(property)=\(quote)") else { continue }
            let rest = packet[attribute.upperBound...]
            return rest.firstPlace(of: quote).map { Self.plain(rest[..<$0.lowerBound]) }
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

    /// Returns the texts of all attributes of a name; if there are none, those of the items of its first element.
    func texts(_ property: String) -> [String] {
        var (texts, rest) = ([String](), packet)
        while let start = rest.firstPlace(of: "\(property)=") {
            rest = rest[start.upperBound...]
            guard let quote = rest.popFirst(), let end = rest.firstIndex(of: quote) else { break }
            texts.append(Self.plain(rest[..<end]))
            rest = rest[(end + 1)...]
        }
        guard texts.isEmpty, let start = packet.firstPlace(of: "<" + property),
            let end = packet[start.upperBound...].firstPlace(of: "</\(property)>")
        else { return texts }
        rest = packet[start.upperBound..<end.lowerBound]
        while let item = rest.firstPlace(of: "<rdf:li"), let open = rest[item.upperBound...].firstPlace(of: ">") {
            rest = rest[open.upperBound...]
            texts.append(Self.plain(rest.prefix { $0 != UInt8(ascii: "<") }))
        }
        return texts.isEmpty ? text(property).map { [$0] } ?? [] : texts
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
    /// Returns the first range of a text; `nil` if there is none.
    ///
    /// - Complexity: one comparison with the text for each byte that equals its first.
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

/// Detects gain maps.
///
/// - Source: Ultra HDR Image Format 1.1 (XMP); ISO/TS 21496-1 annex C (JPEG, HEIF); ISO/IEC 18181-2 (JPEG XL, `jhgm`);
///   Apple's "Applying Apple HDR effect to your photos" for its auxiliary images.
extension GainMap {
    /// The names of a gain map's properties in XMP packets: of Ultra HDR, of its list of images, and of Apple.
    private static let names = ["hdrgm:Version", "\"GainMap\"", "HDRGainMap"]
    /// The ends of the types of auxiliary images in HEIF.
    private static let auxiliaries = ["aux:hdrgainmap", "iso:ts:21496:-1"]

    static func isStated(in packet: Data) -> Bool {
        let bytes = XMPTexts.examined(packet)
        return names.contains { bytes.firstPlace(of: $0) != nil }
    }

    /// Returns whether an APP2 segment of a JPEG belongs to a gain map.
    static func isSegment(_ content: Data) -> Bool { content.starts(with: Metadata.segmentName) }

    /// Returns whether an AVIF, HEIF or JPEG XL file has a gain map in the boxes that have arrived.
    static func isIn(boxesOf chain: ByteChain) -> Bool {
        let file = ISOBox.boxes(in: 0..<chain.count, of: chain)
        if file.first("jhgm") != nil { return true }
        guard let meta = file.first("meta")?.children(of: chain, after: 4) else { return false }
        if let items = meta.first("iinf") {
            // Version 0 counts the items with two bytes, others with four.
            let isShort = chain.byte(at: items.content.lowerBound) == 0
            let isMap = items.children(of: chain, after: isShort ? 6 : 8).contains { item in
                // The identifier has two bytes in version 2, and four in version 3; two of protection follow.
                let type = item.content.lowerBound + (chain.byte(at: item.content.lowerBound) == 3 ? 10 : 8)
                return type + 4 <= item.content.upperBound && chain.code(at: type) == "tmap"
            }
            if isMap { return true }
        }
        let properties = meta.first("iprp")?.children(of: chain).first("ipco")?.children(of: chain) ?? []
        return properties.contains { property in
            guard property.type == "auxC", property.content.count < 256,
                let bytes = chain.bytes(at: property.content.lowerBound, count: property.content.count)
            else { return false }
            let name = Array(bytes)[...]
            return auxiliaries.contains { name.firstPlace(of: $0) != nil }
        }
    }
}
