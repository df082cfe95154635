internal import FoundationEssentials

/// The records of the IPTC block of a JPEG file.
///
/// - Source: Adobe Photoshop file formats, "Image Resource Blocks", 0x0404; IPTC IIM 4.2 §1.5.
struct IPTCRecords {
    private var texts: [UInt8: String] = [:]

    /// Reads the records of application 2; `nil` if the first bytes of the file have none.
    init?(jpeg head: Data) {
        guard let bytes = IPTCRecords.block(head) else { return nil }
        var at = 0
        while at + 5 <= bytes.count, bytes[at] == 0x1C {
            let length = bytes.big(at + 3, 2)
            let (start, end) = (at + 5, at + 5 + length)
            // A length with its highest bit set is that of an extended record, which no text needs.
            guard length < 0x8000, end <= bytes.count else { break }
            if bytes[at + 1] == 2, texts[bytes[at + 2]] == nil {
                texts[bytes[at + 2]] = String(decoding: bytes[start..<end], as: UTF8.self)
            }
            at = end
        }
    }

    /// Returns the text of a record of application 2.
    func text(_ record: UInt8) -> String? { texts[record] }

    /// Returns the content of the IPTC resource.
    private static func block(_ head: Data) -> [UInt8]? {
        let chain = ByteChain(whole: head)
        var walk = JPEGMarkerWalk()
        while case .marker(let code, let content) = walk.next(in: chain), code != JPEGMarker.startOfScan {
            if code == 0xED, let found = resource([UInt8](content)) { return found }
        }
        return nil
    }

    /// Returns the content of the IPTC resource in a segment of Photoshop's; `nil` in any other.
    private static func resource(_ segment: [UInt8]) -> [UInt8]? {
        let name = Array("Photoshop 3.0\0".utf8)
        guard segment.starts(with: name) else { return nil }
        var at = name.count
        while at + 12 <= segment.count {
            // A name of an even length with its count.
            let size = at + 6 + (Int(segment[at + 6]) | 1) + 1
            guard size + 4 <= segment.count else { return nil }
            let start = size + 4
            let length = segment.big(size, 4)
            guard length <= segment.count - start else { return nil }
            if segment.big(at + 4, 2) == 0x0404 { return Array(segment[start..<start + length]) }
            at = start + length + length % 2
        }
        return nil
    }
}
