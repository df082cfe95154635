import FirnCodecs
package import FirnImage
package import FoundationEssentials

/// Who made an image and who holds its rights, which stay where all other metadata are removed.
///
/// - Source: EXIF 2.32 §4.6.4 (0x013B, 0x8298); IPTC IIM 4.2, records 2:80, 2:110 and 2:116; XMP specification part 1
///   §8 (Dublin Core).
package struct CopyrightNotice: Sendable, Equatable {
    /// The artist, otherwise who is to be credited.
    package var creator: String?
    package var rights: String?

    /// The most bytes of a text.
    private static let longest = 2_000

    /// Reads the notice of an image; `nil` if it states none. EXIF data come first, then IPTC, then XMP.
    ///
    /// - Parameter head: the first bytes of the file, in which a JPEG has its IPTC records.
    package init?(_ properties: ImageProperties, head: Data) {
        let exif = properties.exif.flatMap { EXIFDirectories($0) }
        let records = properties.format == .jpeg ? IPTCRecords(jpeg: head) : nil
        let packet = properties.xmp.map { XMPTexts($0) }
        func first(_ candidates: String?...) -> String? {
            candidates.lazy.compactMap { $0 }.first { !$0.isEmpty }
        }
        creator = first(
            exif?.text(0x013B, in: exif?.first), records?.text(80), packet?.text("dc:creator"), records?.text(110),
            packet?.text("photoshop:Credit"))
        rights = first(
            exif?.text(0x8298, in: exif?.first), records?.text(116), packet?.text("dc:rights"),
            packet?.text("xmpRights:UsageTerms"))
        if creator == nil, rights == nil { return nil }
    }

    /// EXIF data that hold the notice alone.
    package var exif: Data {
        let texts = [(0x013B, creator), (0x8298, rights)].compactMap { tag, text in
            // At least five bytes, so that no value is stored in its entry.
            text.map { (tag, Array($0.utf8.prefix(Self.longest)) + [0, 0, 0, 0]) }
        }
        var bytes: [UInt8] = [0x49, 0x49, 0x2A, 0]
        func put(_ value: Int, _ count: Int) {
            for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
        }
        put(8, 4)
        put(texts.count, 2)
        var offset = 8 + 2 + 12 * texts.count + 4
        for (tag, text) in texts {
            put(tag, 2)
            put(2, 2)
            put(text.count, 4)
            put(offset, 4)
            offset += text.count + text.count % 2
        }
        put(0, 4)
        for (_, text) in texts {
            bytes += text
            // A value starts at an even offset.
            if text.count % 2 == 1 { bytes.append(0) }
        }
        return Data(bytes)
    }
}

/// The records of the IPTC block of a JPEG file.
///
/// - Source: Adobe Photoshop file formats, "Image Resource Blocks", 0x0404; IPTC IIM 4.2 §1.5.
struct IPTCRecords {
    private var texts: [UInt8: String] = [:]

    /// Reads the records of application 2; `nil` if the first bytes of the file have none.
    init?(jpeg head: Data) {
        let bytes = [UInt8](head)
        guard let block = Self.block(bytes) else { return nil }
        var at = block.lowerBound
        while at + 5 <= block.upperBound, bytes[at] == 0x1C {
            let length = Int(bytes[at + 3]) << 8 | Int(bytes[at + 4])
            let (start, end) = (at + 5, at + 5 + length)
            // A length with its highest bit set is that of an extended record, which no text needs.
            guard length < 0x8000, end <= block.upperBound else { break }
            if bytes[at + 1] == 2, texts[bytes[at + 2]] == nil {
                texts[bytes[at + 2]] = String(decoding: bytes[start..<end], as: UTF8.self)
            }
            at = end
        }
    }

    /// Returns the text of a record of application 2.
    func text(_ record: UInt8) -> String? { texts[record] }

    /// Returns the range of the IPTC resource.
    private static func block(_ bytes: [UInt8]) -> Range<Int>? {
        func number(_ at: Int, _ count: Int) -> Int { bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) } }
        let name = Array("Photoshop 3.0\0".utf8)
        var at = 2
        while at + 4 <= bytes.count, bytes[at] == 0xFF, bytes[at + 1] != 0xDA, bytes[at + 1] != 0xD9 {
            let end = at + 2 + number(at + 2, 2)
            guard end > at + 3, end <= bytes.count else { return nil }
            if bytes[at + 1] == 0xED, bytes[at + 4..<end].starts(with: name) {
                var resource = at + 4 + name.count
                while resource + 12 <= end {
                    // A name of an even length with its count.
                    let size = resource + 6 + (Int(bytes[resource + 6]) | 1) + 1
                    guard size + 4 <= end else { break }
                    let length = number(size, 4)
                    guard length <= end - size - 4 else { break }
                    if number(resource + 4, 2) == 0x0404 { return size + 4..<size + 4 + length }
                    resource = size + 4 + length + length % 2
                }
            }
            at = end
        }
        return nil
    }
}

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
