import FirnData
import FoundationEssentials

/// Adds properties to an XMP packet and removes some. All other bytes stay as they are.
///
/// Takes linear time. Properties of all namespaces that ``namespaces`` lists have the usual prefix, whatever prefix the
/// packet declares.
///
/// - Source: ISO 16684-1 §7; XML 1.0; Namespaces in XML 1.0.
struct XMPEditor {
    private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    private static let namespaces = [
        "rdf": rdf, "dc": "http://purl.org/dc/elements/1.1/", "xmp": "http://ns.adobe.com/xap/1.0/",
        "tiff": "http://ns.adobe.com/tiff/1.0/", "exif": "http://ns.adobe.com/exif/1.0/",
        "exifEX": "http://cipa.jp/exif/1.0/", "aux": "http://ns.adobe.com/exif/1.0/aux/",
        "photoshop": "http://ns.adobe.com/photoshop/1.0/", "xmpRights": "http://ns.adobe.com/xap/1.0/rights/",
        "Iptc4xmpCore": "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/",
        "Iptc4xmpExt": "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
        "mwg-rs": "http://www.metadataworkinggroup.com/schemas/regions/", "xmpNote": "http://ns.adobe.com/xmp/note/",
        "hdrgm": "http://ns.adobe.com/hdr-gain-map/1.0/", "Container": "http://ns.google.com/photos/1.0/container/",
        "Item": "http://ns.google.com/photos/1.0/container/item/",
        "MicrosoftPhoto": "http://ns.microsoft.com/photo/1.0/",
    ]
    private static let prefixes = Dictionary(namespaces.map { ($0.value, $0.key) }) { first, _ in first }
    private static let maximumDepth = 100
    /// The most namespaces that are declared at once, a tag's own apart.
    private static let maximumScopes = 200
    private static let maximumBytes = 32 << 20

    /// A packet without properties.
    static let empty = Data(
        (#"<?xpacket begin="\#u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>"#
            + #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="\#(rdf)"></rdf:RDF></x:xmpmeta>"#
            + #"<?xpacket end="w"?>"#).utf8)

    private let bytes: [UInt8]
    /// The properties in order, without those inside others.
    private var properties: [(name: String, range: Range<Int>)] = []
    /// The elements that hold properties, and the indices of those.
    private var holders: [(range: Range<Int>, properties: Range<Int>)] = []
    /// The range between the tags of `rdf:RDF`.
    private var content: Range<Int>?
    /// The namespaces declared there, by their prefixes.
    private var declared: [String: String] = [:]
    /// The subject of the properties, as the packet writes it.
    private var subject: String?

    /// - Returns: `nil` if the packet is not XML in UTF-8 with properties in RDF.
    init?(_ packet: Data) {
        guard packet.count <= Self.maximumBytes else { return nil }
        bytes = [UInt8](packet)
        guard read(), content != nil else { return nil }
    }

    private enum Role { case other, rdf, description(first: Int), property(String) }

    private mutating func read() -> Bool {
        var scopes: [(prefix: String, name: String)] = []
        var open: [(role: Role, start: Int, scopes: Int)] = []
        func name(_ name: String) -> String {
            let parts = name.split(separator: ":", maxSplits: 1).map { String($0) }
            guard parts.count == 2, let scope = scopes.last(where: { $0.prefix == parts[0] }) else { return name }
            return "\(Self.prefixes[scope.name] ?? "?"):\(parts[1])"
        }
        var at = 0
        while let next = bytes[at...].firstIndex(of: UInt8(ascii: "<")) {
            let rest = bytes[next...]
            let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].first { rest.starts(with: $0.0.utf8) }
            if let skipped {
                guard let end = rest.firstPlace(of: skipped.1) else { return false }
                at = end.upperBound
                continue
            }
            if rest.starts(with: "</".utf8) {
                guard let tag = open.popLast(), let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
                at = end + 1
                if case .property(let name) = tag.role { properties.append((name, tag.start..<at)) }
                if case .description(let first) = tag.role {
                    holders.append((tag.start..<at, first..<properties.count))
                }
                if case .rdf = tag.role, let start = content?.lowerBound { content = start..<next }
                scopes.removeLast(scopes.count - tag.scopes)
                continue
            }
            guard open.count < Self.maximumDepth, let tag = XMLTag(bytes, at: next) else { return false }
            let count = scopes.count
            guard count < Self.maximumScopes else { return false }
            for attribute in tag.attributes where attribute.name.hasPrefix("xmlns:") {
                scopes.append((String(attribute.name.dropFirst(6)), attribute.value))
            }
            let full = name(tag.name)
            var role = Role.other
            switch open.last?.role {
            case .rdf?: role = full == "rdf:Description" ? .description(first: properties.count) : .other
            case .description?: role = .property(full)
            case .property?, .other?, nil: if full == "rdf:RDF", content == nil { role = .rdf }
            }
            switch role {
            case .rdf:
                if tag.isEmpty { return false }
                content = tag.end..<tag.end
                for scope in scopes { declared[scope.prefix] = scope.name }
            case .description(let first):
                for attribute in tag.attributes where !attribute.name.hasPrefix("xml") {
                    let property = name(attribute.name)
                    if property == "rdf:about" { subject = subject ?? attribute.value }
                    if !property.hasPrefix("rdf:") { properties.append((property, attribute.range)) }
                }
                if tag.isEmpty { holders.append((next..<tag.end, first..<properties.count)) }
            case .property(let name): if tag.isEmpty { properties.append((name, next..<tag.end)) }
            case .other: break
            }
            if tag.isEmpty {
                scopes.removeLast(scopes.count - count)
            } else {
                open.append((role, next, count))
            }
            at = tag.end
        }
        return open.isEmpty
    }

    /// Returns the packet without some properties and with the elements of others.
    ///
    /// - Parameters:
    ///   - names: the properties to remove. A star at the end stands for any characters.
    ///   - elements: XML whose prefixes are those of ``namespaces``.
    func edited(removing names: [String], adding elements: String = "") -> Data {
        let starts = names.filter { $0.hasSuffix("*") }.map { $0.dropLast() }
        let all = Set(names)
        var result = Data(capacity: bytes.count + elements.utf8.count)
        var at = 0
        func isRemoved(_ name: String) -> Bool { all.contains(name) || starts.contains(where: name.hasPrefix) }
        // An element without its properties goes, too.
        let emptied = holders.filter { holder in
            !holder.properties.isEmpty && properties[holder.properties].allSatisfy { isRemoved($0.name) }
        }
        let inside = Set(emptied.flatMap(\.properties))
        let single = properties.indices.filter { isRemoved(properties[$0].name) && !inside.contains($0) }
        let cuts = emptied.map(\.range) + single.map { properties[$0].range }
        for range in cuts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            result += bytes[at..<range.lowerBound]
            at = range.upperBound
        }
        let end = content?.upperBound ?? bytes.count
        result += bytes[at..<end]
        if !elements.isEmpty {
            let used = Self.namespaces.filter { $0.key == "rdf" || elements.contains("\($0.key):") }
            let names = used.sorted { $0.key < $1.key }.map { #" xmlns:\#($0.key)="\#($0.value)""# }.joined()
            result += Data(
                #"<rdf:Description\#(names) rdf:about="\#(subject ?? "")">\#(elements)</rdf:Description>"#.utf8)
        }
        return result + bytes[end...]
    }

    /// Returns a packet with the properties of two; `nil` if one of them is damaged, or they use a prefix for different
    /// namespaces.
    static func joined(_ first: Data, _ second: Data) -> Data? {
        guard let packet = XMPEditor(first), let other = XMPEditor(second), let place = packet.content,
            let added = other.content
        else { return nil }
        var names = ""
        for (prefix, name) in other.declared.sorted(by: { $0.key < $1.key }) where packet.declared[prefix] != name {
            guard packet.declared[prefix] == nil else { return nil }
            names += #" xmlns:\#(prefix)="\#(name)""#
        }
        // The tag ends with one character.
        let tag = place.lowerBound - 1
        let parts = [
            packet.bytes[..<tag], names.utf8.map { $0 }[...], packet.bytes[tag..<place.upperBound],
            other.bytes[added], packet.bytes[place.upperBound...],
        ]
        return XMPEditor(Data(parts.joined()))?.edited(removing: ["xmpNote:HasExtendedXMP"])
    }

    /// Returns text for XML, without characters that it does not allow.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\u{9}", "\u{A}", "\u{D}": escaped.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE: escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// An opening tag.
private struct XMLTag {
    var name = ""
    /// The attributes as they are written. A range includes the spaces before the name.
    var attributes: [(name: String, value: String, range: Range<Int>)] = []
    var isEmpty = false
    var end = 0

    private static let maximumAttributes = 500

    /// - Returns: `nil` if the tag is damaged.
    init?(_ bytes: [UInt8], at start: Int) {
        var at = start + 1
        func isSpace() -> Bool { at < bytes.count && [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) }
        func word() -> String {
            let word = bytes[at...].prefix { $0 > 0x20 && !"/>=<\"'".utf8.contains($0) }
            at = word.endIndex
            return String(decoding: word, as: UTF8.self)
        }
        name = word()
        guard !name.isEmpty else { return nil }
        while at < bytes.count, attributes.count < Self.maximumAttributes {
            let first = at
            while isSpace() { at += 1 }
            guard at < bytes.count else { return nil }
            if bytes[at] == UInt8(ascii: ">") || bytes[at] == UInt8(ascii: "/") {
                isEmpty = bytes[at] == UInt8(ascii: "/")
                end = at + (isEmpty ? 2 : 1)
                guard end <= bytes.count, bytes[end - 1] == UInt8(ascii: ">") else { return nil }
                return
            }
            let name = word()
            while isSpace() { at += 1 }
            guard !name.isEmpty, at < bytes.count, bytes[at] == UInt8(ascii: "=") else { return nil }
            at += 1
            while isSpace() { at += 1 }
            guard at < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[at]),
                let close = bytes[(at + 1)...].firstIndex(of: bytes[at])
            else { return nil }
            attributes.append((name, String(decoding: bytes[at + 1..<close], as: UTF8.self), first..<close + 1))
            at = close + 1
        }
        return nil
    }
}
