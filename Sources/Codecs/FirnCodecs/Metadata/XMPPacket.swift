import FoundationEssentials

/// The properties of an XMP packet.
///
/// Names have the usual prefix of their namespace, whatever prefix the packet declares. Reading is linear, and total: a
/// truncated packet has the properties that precede its end, and anything that is not RDF is ignored.
///
/// - Source: ISO 16684-1 §7 (RDF), annex B; XML 1.0; Namespaces in XML 1.0.
struct XMPPacket {
    /// A value: a text, the items of an array, or the fields of a structure.
    indirect enum Value: Hashable {
        case text(String)
        /// The items; of alternatives in languages, the default one first.
        case list([Value])
        case fields([String: Value])

        /// The texts of a text or of an array.
        var texts: [String] {
            switch self {
            case .text(let text): text.isEmpty ? [] : [text]
            case .list(let items): items.flatMap(\.texts)
            case .fields: []
            }
        }

        /// The items of an array; a value that is no array is one item.
        var items: [Value] { if case .list(let items) = self { items } else { [self] } }

        /// Returns a field of a structure.
        subscript(_ name: String) -> Value? { if case .fields(let fields) = self { fields[name] } else { nil } }
    }

    /// The most bytes of a packet that are read.
    private static let maximumBytes = 1 << 20

    private(set) var properties: [String: Value] = [:]

    /// Reads a packet and, for properties that it lacks, the extension of a JPEG's packet.
    init(_ packet: Data?, extension more: Data? = nil) {
        for part in [packet, more] {
            if let part { collect(XMLReader.document(Self.examined(part))) }
        }
    }

    /// Returns the bytes of a packet that are examined.
    static func examined(_ packet: Data) -> ArraySlice<UInt8> { Array(packet.prefix(maximumBytes))[...] }

    /// Returns the first text of a property; `nil` if the packet does not have it.
    func text(_ property: String) -> String? { properties[property]?.texts.first }

    /// The elements around properties.
    private static let wrappers: Set = ["x:xmpmeta", "x:xapmeta", "rdf:RDF", "rdf:Description"]

    private mutating func collect(_ element: XMLElement) {
        for (name, text) in element.attributes where XMPPacket.isProperty(name) {
            properties[name] = properties[name] ?? .text(text)
        }
        for child in element.children {
            // The outermost element counts as a wrapper, whatever its name.
            if element.name.isEmpty || Self.wrappers.contains(child.name) {
                collect(child)
            } else {
                properties[child.name] = properties[child.name] ?? XMPPacket.value(of: child)
            }
        }
    }

    private static func isProperty(_ name: String) -> Bool {
        name.contains(":") && !name.hasPrefix("rdf:") && !name.hasPrefix("xml")
    }

    private static func value(of element: XMLElement) -> Value {
        if let list = element.children.first(where: { ["rdf:Bag", "rdf:Seq", "rdf:Alt"].contains($0.name) }) {
            var items = list.children.filter { $0.name == "rdf:li" }
            if list.name == "rdf:Alt", let first = items.firstIndex(where: { $0.text(of: "xml:lang") == "x-default" }) {
                items.insert(items.remove(at: first), at: 0)
            }
            return .list(items.map(value))
        }
        let inner = element.children.first { $0.name == "rdf:Description" } ?? element
        var fields: [String: Value] = [:]
        for (name, text) in inner.attributes where isProperty(name) { fields[name] = .text(text) }
        for child in inner.children { fields[child.name] = fields[child.name] ?? value(of: child) }
        // A value with qualifiers.
        if let value = fields["rdf:value"] { return value }
        return fields.isEmpty
            ? .text(element.text(of: "rdf:resource") ?? XMLReader.plain(element.content[...])) : .fields(fields)
    }
}

/// An element of an XML document.
private struct XMLElement {
    var name = ""
    var attributes: [(name: String, value: String)] = []
    var children: [XMLElement] = []
    var content: [UInt8] = []

    func text(of attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }
}

/// Reads XML in one pass, without document types.
private struct XMLReader {
    /// The most nested elements, and the most tags and attributes; the rest is ignored.
    private static let maximumDepth = 64
    private static let maximumParts = 20_000
    private static let maximumTextBytes = 64 << 10

    private var scanner: XMLScanner
    private var prefixes: [String: String] = [:]
    private var parts = 0

    /// Returns an element without a name, which holds the outermost ones.
    static func document(_ bytes: ArraySlice<UInt8>) -> XMLElement {
        var (reader, document) = (XMLReader(scanner: XMLScanner(bytes)), XMLElement())
        reader.read(into: &document)
        return document
    }

    /// Reads what an element contains, up to the next closing tag, whatever its name.
    private mutating func read(into element: inout XMLElement, depth: Int = 0) {
        // A deeper element ends the document.
        if depth == Self.maximumDepth { parts = Self.maximumParts }
        while parts < Self.maximumParts {
            parts += 1
            let (text, part) = scanner.next()
            element.content += text.prefix(max(0, Self.maximumTextBytes - element.content.count))
            switch part {
            case .close, .end: return
            case .other: continue
            case .open(let tag):
                parts += tag.attributes.count
                let attributes = tag.attributes.map { ($0.name, XMLReader.plain($0.value)) }
                for (name, value) in attributes where name.hasPrefix("xmlns:") {
                    if let prefix = XMPNamespace.prefixes[value] { prefixes[String(name.dropFirst(6))] = prefix }
                }
                let named = attributes.map { (name: name($0.0), value: $0.1) }
                var child = XMLElement(name: name(tag.name), attributes: named)
                if !tag.isEmpty { read(into: &child, depth: depth + 1) }
                element.children.append(child)
            }
        }
    }

    /// Returns a name with the usual prefix of its namespace.
    private func name(_ name: String) -> String {
        let parts = name.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let prefix = prefixes[String(parts[0])] else { return name }
        return "\(prefix):\(parts[1])"
    }

    /// Returns a text without control characters, and with characters for the entities of XML.
    static func plain(_ text: ArraySlice<UInt8>) -> String {
        let parts = String(decoding: text.prefix(maximumTextBytes), as: UTF8.self)
            .split(separator: "&", omittingEmptySubsequences: false)
        var plain = parts.first.map { String($0) } ?? ""
        for part in parts.dropFirst() {
            if let end = part.firstIndex(of: ";"), let character = character(part[..<end]) {
                plain += character + part[part.index(after: end)...]
            } else {
                plain += "&" + part
            }
        }
        return plain.withoutControlCharacters
    }

    private static func character(_ entity: Substring) -> String? {
        switch entity {
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case "amp": return "&"
        default:
            let isHex = entity.hasPrefix("#x")
            guard entity.hasPrefix("#"), let value = UInt32(entity.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
            else { return nil }
            return Unicode.Scalar(value).map { String(Character($0)) }
        }
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
