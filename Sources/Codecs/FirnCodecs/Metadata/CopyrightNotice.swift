package import FoundationEssentials

/// The author of an image and the holder of its rights, which can be kept when all other metadata are removed.
///
/// - Source: EXIF 2.32 §4.6.4 (0x013B, 0x8298); IPTC IIM 4.2, records 2:80, 2:110 and 2:116; XMP specification part 1
///   §8 (Dublin Core).
package struct CopyrightNotice: Sendable, Equatable {
    /// The artist, otherwise the credit.
    package var creator: String?
    package var rights: String?

    /// The most bytes of a text.
    private static let longest = 2_000

    /// Reads the notice of an image; `nil` if there is none. The order of the sources is that of ``ImageMetadata``.
    package init?(_ properties: ImageProperties) {
        let metadata = properties.metadata
        self.init(
            creator: metadata["Creator"] ?? metadata["Credit"], rights: metadata.copyright ?? metadata["UsageTerms"])
    }

    /// Reads the notice in EXIF data; `nil` if they have none.
    package init?(exif: Data) {
        let metadata = ImageMetadata(exif: exif)
        self.init(creator: metadata["Creator"], rights: metadata.copyright)
    }

    /// Creates a notice; `nil` if there is neither text.
    package init?(creator: String?, rights: String?) {
        guard creator != nil || rights != nil else { return nil }
        self.creator = creator
        self.rights = rights
    }

    /// EXIF data that hold the notice alone.
    package var exif: Data {
        let fields = [(0x013B, creator), (0x8298, rights)].compactMap { tag, text in
            text.map { (tag, Array($0.utf8.prefix(Self.longest)) + [0]) }
        }
        let data = EXIFField.data(fields.map { EXIFField(tag: $0, type: 2, count: $1.count, bytes: $1) }, isBig: false)
        return data ?? EXIFDirectories.empty
    }
}

/// The records of an IPTC block.
///
/// - Source: IPTC IIM 4.2 §1.5; Adobe Photoshop file formats, "Image Resource Blocks", 0x0404 and 0x0425.
struct IPTCRecords {
    private var all: [UInt8: [String]] = [:]
    /// The most records of a number.
    private static let most = 1_000

    /// Reads the records of application 2.
    init(_ block: Data) {
        var all: [UInt8: [String]] = [:]
        _ = Self.forEachRecord([UInt8](block)) { application, number, value in
            if application == 2, all[number]?.count ?? 0 < Self.most {
                all[number, default: []].append(String(ofMetadata: value))
            }
        }
        self.all = all
    }

    /// Passes the records of a block to `body`, and returns the offset behind the last valid one.
    static func forEachRecord(
        _ bytes: [UInt8], _ body: (_ application: UInt8, _ number: UInt8, ArraySlice<UInt8>) -> Void
    ) -> Int {
        var at = 0
        while at + 5 <= bytes.count, bytes[at] == 0x1C {
            let length = bytes.big(at + 3, 2)
            let (start, end) = (at + 5, at + 5 + length)
            // A length with its highest bit set is that of an extended record, which no text needs.
            guard length < 0x8000, end <= bytes.count else { break }
            body(bytes[at + 1], bytes[at + 2], bytes[start..<end])
            at = end
        }
        return at
    }

    /// The numbers of the records.
    var numbers: Set<UInt8> { Set(all.keys) }

    /// Returns the texts of the records of application 2 with a number.
    func texts(_ record: UInt8) -> [String] { all[record] ?? [] }

    /// Returns the block in a segment of Photoshop's, with its name or without, or the digest of the block that the
    /// last program wrote (`resource` 0x0425); `nil` in any other.
    static func block(inPhotoshop segment: Data, resource: Int = 0x0404) -> Data? {
        let bytes = [UInt8](segment)
        return resources(bytes).all.first { $0.number == resource }.map { Data(bytes[$0.content]) }
    }

    /// Returns the resources in a segment of Photoshop's, with its name or without, and the offset behind the last
    /// valid one.
    static func resources(
        _ bytes: [UInt8]
    ) -> (all: [(number: Int, content: Range<Int>, whole: Range<Int>)], end: Int) {
        let name = JPEGMarker.photoshopName
        var at = bytes.starts(with: name) ? name.count : 0
        var all: [(number: Int, content: Range<Int>, whole: Range<Int>)] = []
        while at + 12 <= bytes.count, bytes[at..<at + 4].elementsEqual("8BIM".utf8) {
            // A name of an even length with its count.
            let start = at + 6 + (Int(bytes[at + 6]) | 1) + 1 + 4
            guard start <= bytes.count, case let length = bytes.big(start - 4, 4), length <= bytes.count - start else {
                break
            }
            let end = min(start + length + length % 2, bytes.count)
            all.append((bytes.big(at + 4, 2), start..<start + length, at..<end))
            at = end
        }
        return (all, at)
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
