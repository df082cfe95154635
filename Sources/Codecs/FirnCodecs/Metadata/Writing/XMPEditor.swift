import FoundationEssentials

/// Adds properties to an XMP packet and removes some. All other bytes stay as they are.
///
/// Takes linear time. Properties of the namespaces of ``XMPNamespace`` have the usual prefix, whatever the packet
/// declares.
///
/// - Source: ISO 16684-1 §7; XML 1.0; Namespaces in XML 1.0.
struct XMPEditor {
    private static let maximumDepth = 100
    /// The most namespaces that are declared at once, a tag's own apart.
    private static let maximumScopes = 200
    private static let maximumBytes = 32 << 20

    /// A packet without properties.
    static let empty = Data(
        (#"<?xpacket begin="\#u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>"#
            + #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="\#(XMPNamespace.rdf)"></rdf:RDF></x:xmpmeta>"#
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
            return "\(XMPNamespace.prefixes[scope.name] ?? "?"):\(parts[1])"
        }
        var scanner = XMLScanner(bytes[...])
        scan: while scanner.isSound {
            let (text, part) = scanner.next()
            let start = text.endIndex
            let tag: XMLTag
            switch part {
            case .end: break scan
            case .other: continue
            case .close(let range):
                guard let tag = open.popLast() else { return false }
                if case .property(let name) = tag.role { properties.append((name, tag.start..<range.upperBound)) }
                if case .description(let first) = tag.role {
                    holders.append((tag.start..<range.upperBound, first..<properties.count))
                }
                if case .rdf = tag.role, let first = content?.lowerBound { content = first..<start }
                scopes.removeLast(scopes.count - tag.scopes)
                continue
            case .open(let next): tag = next
            }
            let count = scopes.count
            guard open.count < Self.maximumDepth, count < Self.maximumScopes else { return false }
            let attributes = tag.attributes.map { ($0.name, String(decoding: $0.value, as: UTF8.self), $0.whole) }
            for (name, value, _) in attributes where name.hasPrefix("xmlns:") {
                scopes.append((String(name.dropFirst(6)), value))
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
                for (short, value, range) in attributes where !short.hasPrefix("xml") {
                    let property = name(short)
                    if property == "rdf:about" { subject = subject ?? value }
                    if !property.hasPrefix("rdf:") { properties.append((property, range)) }
                }
                if tag.isEmpty { holders.append((start..<tag.end, first..<properties.count)) }
            case .property(let name): if tag.isEmpty { properties.append((name, start..<tag.end)) }
            case .other: break
            }
            if tag.isEmpty {
                scopes.removeLast(scopes.count - count)
            } else {
                open.append((role, start, count))
            }
        }
        return scanner.isSound && open.isEmpty
    }

    /// Returns the packet without some properties and with the elements of others.
    ///
    /// - Parameters:
    ///   - names: the properties to remove. A star at the end stands for any characters.
    ///   - elements: XML whose prefixes are those of ``XMPNamespace``.
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
            let names = XMPNamespace.declarations { $0 == "rdf" || elements.contains("\($0):") }
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
