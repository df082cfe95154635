import FoundationEssentials

/// The records of an IPTC block.
///
/// - Source: IPTC IIM 4.2 §1.5; Adobe Photoshop file formats, "Image Resource Blocks", 0x0404.
struct IPTCRecords {
    private var texts: [UInt8: String] = [:]

    /// Reads the records of application 2.
    init(_ block: Data) {
        let bytes = [UInt8](block)
        var at = 0
        while at + 5 <= bytes.count, bytes[at] == 0x1C {
            let length = bytes.big(at + 3, 2)
            let (start, end) = (at + 5, at + 5 + length)
            // A length with its highest bit set is that of an extended record, which no text needs.
            guard length < 0x8000, end <= bytes.count else { break }
            if bytes[at + 1] == 2, texts[bytes[at + 2]] == nil {
                texts[bytes[at + 2]] = String(ofMetadata: bytes[start..<end])
            }
            at = end
        }
    }

    /// Returns the text of a record of application 2.
    func text(_ record: UInt8) -> String? { texts[record] }

    /// Returns the block in a segment of Photoshop's, with its name or without; `nil` in any other.
    static func block(inPhotoshop segment: Data) -> Data? {
        let segment = [UInt8](segment)
        let name = Array("Photoshop 3.0\0".utf8)
        var at = segment.starts(with: name) ? name.count : 0
        while at + 12 <= segment.count, segment[at..<at + 4].elementsEqual("8BIM".utf8) {
            // A name of an even length with its count.
            let size = at + 6 + (Int(segment[at + 6]) | 1) + 1
            guard size + 4 <= segment.count else { return nil }
            let start = size + 4
            let length = segment.big(size, 4)
            guard length <= segment.count - start else { return nil }
            if segment.big(at + 4, 2) == 0x0404 { return Data(segment[start..<start + length]) }
            at = start + length + length % 2
        }
        return nil
    }

    /// Returns the block in a profile, which is the block itself, or a segment of Photoshop's.
    static func block(inProfile profile: Data) -> Data? {
        profile.first == 0x1C ? profile : block(inPhotoshop: profile)
    }
}

extension String {
    /// Creates a text of older metadata, which is UTF-8 in new files and Latin-1 in old ones.
    init(ofMetadata bytes: some Sequence<UInt8>) {
        self =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
