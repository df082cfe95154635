/// Reads the tags of an XML document in one pass, without document types.
///
/// Reading is linear, and total: anything that is not XML is skipped, and noted in ``isSound``.
///
/// - Source: XML 1.0.
struct XMLScanner {
    /// The part of a document behind a text.
    enum Part {
        case open(XMLTag)
        /// A closing tag, whatever its name.
        case close(Range<Int>)
        /// A comment, an instruction or a section of characters.
        case other
        case end
    }

    private let bytes: ArraySlice<UInt8>
    private var index: Int
    /// False if a part was damaged.
    private(set) var isSound = true

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    private static let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")]

    /// Reads the text up to the next tag, and that tag.
    mutating func next() -> (text: ArraySlice<UInt8>, part: Part) {
        let text = bytes[index...].prefix { $0 != UInt8(ascii: "<") }
        index = text.endIndex
        let (first, rest) = (index, bytes[index...])
        if rest.isEmpty { return (text, .end) }
        if let end = Self.skipped.first(where: { rest.starts(with: $0.0.utf8) })?.1 {
            isSound = isSound && end != ">"
            skip(past: end)
            return (text, .other)
        }
        if rest.starts(with: "</".utf8) {
            skip(past: ">")
            return (text, .close(first..<index))
        }
        let tag = XMLTag(bytes, at: index)
        isSound = isSound && tag.isSound
        index = tag.end
        return (text, .open(tag))
    }

    private mutating func skip(past text: String) {
        let place = bytes[index...].firstPlace(of: text)
        isSound = isSound && place != nil
        index = place?.upperBound ?? bytes.endIndex
    }
}

/// An opening tag.
struct XMLTag {
    let name: String
    /// The attributes, with the values as they are written. The whole of one includes the spaces before its name.
    private(set) var attributes: [(name: String, value: ArraySlice<UInt8>, whole: Range<Int>)] = []
    private(set) var isEmpty = false
    private(set) var isSound = true
    private(set) var end: Int

    private static let maximumAttributes = 10_000

    /// Reads a tag that starts at an index.
    fileprivate init(_ bytes: ArraySlice<UInt8>, at start: Int) {
        var index = start + 1
        func skip(_ characters: [UInt8]) {
            while index < bytes.endIndex, characters.contains(bytes[index]) { index += 1 }
        }
        func word() -> String {
            let word = bytes[index...].prefix { $0 > 0x20 && !"/>=<\"'".utf8.contains($0) }
            index = word.endIndex
            return String(decoding: word, as: UTF8.self)
        }
        let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        let equals = UInt8(ascii: "=")
        name = word()
        var (isSound, isClosed) = (!name.isEmpty, false)
        while index < bytes.endIndex, attributes.count < Self.maximumAttributes, !isClosed {
            let first = index
            skip(spaces)
            guard index < bytes.endIndex else { break }
            if [UInt8(ascii: ">"), UInt8(ascii: "/")].contains(bytes[index]) {
                isClosed = bytes[index] == UInt8(ascii: ">")
                isSound = isSound && !(isClosed && isEmpty && bytes[index - 1] != UInt8(ascii: "/"))
                isEmpty = isEmpty || !isClosed
                index += 1
                continue
            }
            let name = word()
            // A character that begins nothing.
            if name.isEmpty { index += 1 }
            let between = index
            skip(spaces + [equals])
            isSound = isSound && bytes[between..<index].contains(equals)
            guard !name.isEmpty, !isEmpty, index < bytes.endIndex,
                let quote = "\"'".utf8.first(where: { $0 == bytes[index] })
            else {
                isSound = false
                continue
            }
            let value = bytes[(index + 1)...].prefix { $0 != quote }
            isSound = isSound && value.endIndex < bytes.endIndex
            index = min(value.endIndex + 1, bytes.endIndex)
            attributes.append((name, value, first..<index))
        }
        self.isSound = isSound && isClosed
        end = index
    }
}

/// The usual prefixes of namespaces.
enum XMPNamespace {
    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    static let names = [
        "x": "adobe:ns:meta/", "rdf": rdf, "dc": "http://purl.org/dc/elements/1.1/",
        "xmp": "http://ns.adobe.com/xap/1.0/", "xmpRights": "http://ns.adobe.com/xap/1.0/rights/",
        "xmpNote": "http://ns.adobe.com/xmp/note/", "tiff": "http://ns.adobe.com/tiff/1.0/",
        "exif": "http://ns.adobe.com/exif/1.0/", "exifEX": "http://cipa.jp/exif/1.0/",
        "aux": "http://ns.adobe.com/exif/1.0/aux/", "photoshop": "http://ns.adobe.com/photoshop/1.0/",
        "Iptc4xmpCore": "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/",
        "Iptc4xmpExt": "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
        "mwg-rs": "http://www.metadataworkinggroup.com/schemas/regions/",
        "stArea": "http://ns.adobe.com/xmp/sType/Area#", "hdrgm": "http://ns.adobe.com/hdr-gain-map/1.0/",
        "Container": "http://ns.google.com/photos/1.0/container/",
        "Item": "http://ns.google.com/photos/1.0/container/item/",
        "MicrosoftPhoto": "http://ns.microsoft.com/photo/1.0/",
    ]
    static let prefixes = Dictionary(names.map { ($0.value, $0.key) }) { first, _ in first }

    /// Returns the attributes that declare some namespaces, in alphabetical order.
    static func declarations(where isWanted: (String) -> Bool) -> String {
        names.filter { isWanted($0.key) }.sorted { $0.key < $1.key }.map { #" xmlns:\#($0.key)="\#($0.value)""# }
            .joined()
    }
}
