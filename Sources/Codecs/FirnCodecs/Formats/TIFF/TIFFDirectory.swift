import FoundationEssentials

/// Bytes with the directories of a TIFF file: lists of entries (tag, type, count, and the values or their offset).
/// Every access is checked; values beyond the end count as missing.
///
/// - Source: TIFF 6.0 §2; BigTIFF design; EXIF 2.32 §4.5.
package protocol TIFFDirectories {
    associatedtype Piece: RandomAccessCollection<UInt8> where Piece.Index == Int
    /// True if the most significant byte of a number comes first.
    var isBig: Bool { get }
    /// True if offsets have 8 bytes.
    var isLong: Bool { get }
    /// The number of bytes.
    var count: Int { get }

    /// Returns the bytes at `offset`; `nil` unless all exist.
    func piece(_ offset: Int, _ count: Int) -> Piece?
    /// Returns the number of `size` bytes at `offset`; `nil` beyond the end, or beyond `Int`.
    func number(_ offset: Int, _ size: Int) -> Int?
}

extension TIFFDirectories {
    /// One entry of a directory, and its offset.
    package typealias Entry = (tag: Int, offset: Int)

    /// The position of the offset of the first directory, and the bytes of an offset.
    var firstLink: Int { isLong ? 8 : 4 }
    var offsetSize: Int { firstLink }
    private var countSize: Int { isLong ? 8 : 2 }
    private var entrySize: Int { 4 + 2 * offsetSize }

    /// The offset of the image's directory.
    package var first: Int? { number(firstLink, offsetSize) }

    /// Returns the offset of the link to the next directory.
    func link(behind directory: Int) -> Int? {
        number(directory, countSize).map { directory + countSize + entrySize * min($0, count) }
    }

    /// Returns the complete entries of a directory, at most 4,096. Writers store about a hundred, and lookups are
    /// linear.
    func entries(_ directory: Int?) -> [Entry] {
        guard let directory, let number = number(directory, countSize) else { return [] }
        return (0..<min(number, 4_096)).lazy.map { directory + countSize + entrySize * $0 }
            .prefix { $0 + entrySize <= count }
            .compactMap { offset in self.number(offset, 2).map { ($0, offset) } }
    }

    /// Returns the type and the range of the values of an entry, which holds them itself if they are short.
    func values(of entry: Entry) -> (kind: Int, range: Range<Int>)? {
        let field = entry.offset + 4 + offsetSize
        guard let kind = number(entry.offset + 2, 2), let size = TIFFKind.lengths[kind],
            let number = number(entry.offset + 4, offsetSize), number > 0, number <= count / size,
            let start = number * size <= offsetSize ? field : self.number(field, offsetSize),
            start <= count - number * size
        else { return nil }
        return (kind, start..<start + number * size)
    }

    /// Returns the type and the range of the values of the last entry of a tag.
    func values(_ tag: Int, in directory: Int?) -> (kind: Int, range: Range<Int>)? {
        entries(directory).last { $0.tag == tag }.flatMap { values(of: $0) }
    }

    /// Returns the first `most` whole numbers of values. Accepts each type of them, because some writers store a LONG
    /// where a SHORT is specified.
    func wholes(_ values: (kind: Int, range: Range<Int>)?, most: Int = 1) -> [Int] {
        guard let (kind, range) = values, TIFFKind.wholes.contains(kind), let size = TIFFKind.lengths[kind] else {
            return []
        }
        return stride(from: range.lowerBound, to: range.upperBound, by: size).prefix(most).compactMap {
            number($0, size)
        }
    }

    /// Returns the first whole number of the last entry of a tag, which may be the offset of a directory.
    package func value(_ tag: Int, in directory: Int?) -> Int? { wholes(values(tag, in: directory)).first }

    /// Returns a text without control characters and extra spaces; `nil` if there is none.
    func text(_ values: (kind: Int, range: Range<Int>)?) -> String? {
        guard let (kind, range) = values, TIFFKind.texts.contains(kind),
            let bytes = piece(range.lowerBound, min(range.count, TIFFKind.maximumValues))
        else { return nil }
        let text = String(ofMetadata: bytes.prefix { $0 != 0 }).withoutControlCharacters
        return text.isEmpty ? nil : text
    }

    /// Returns a text without control characters and extra spaces; `nil` if there is none.
    package func text(_ tag: Int, in directory: Int?) -> String? { text(values(tag, in: directory)) }
}

/// The types of values.
enum TIFFKind {
    static let text = 2
    static let short = 3
    static let long = 4
    static let fraction = 5
    /// BYTE, ASCII, UNDEFINED, UTF-8.
    static let texts: Set = [1, text, 7, 129]
    /// BYTE, UNDEFINED; SHORT; LONG, IFD; LONG8, IFD8.
    static let wholes: Set = [1, 7, short, long, 13, 16, 18]
    /// The bytes of a value of each type.
    static let lengths = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 18: 8, 129: 1,
    ]
    /// The most bytes of a text and numbers of a list that are read.
    static let maximumValues = 2_000
}

/// A TIFF or BigTIFF file whose bytes have all arrived.
struct TIFFStructure: TIFFDirectories {
    let chain: ByteChain
    let isBig: Bool
    let isLong: Bool

    /// - Returns: `nil` if the bytes do not begin like a TIFF file.
    init?(_ chain: ByteChain) {
        self.chain = chain
        isBig = chain.big(0, 2) == 0x4D4D
        guard isBig || chain.big(0, 2) == 0x4949 else { return nil }
        let version = isBig ? chain.big(2, 2) : chain.little(2, 2)
        guard version == 42 || version == 43 else { return nil }
        isLong = version == 43
    }

    var count: Int { chain.count }
    func piece(_ offset: Int, _ count: Int) -> Data? { chain.bytes(at: offset, count: count) }

    func number(_ offset: Int, _ size: Int) -> Int? {
        let value = isBig ? chain.big(offset, size) : chain.little(offset, size)
        return value.flatMap { $0 < Int.max ? $0 : nil }
    }

    /// Returns the bytes of an offset, as the file stores it.
    func bytes(ofOffset offset: Int) -> [UInt8] { offset.bytes(offsetSize, isBig: isBig) }
}

/// The entries of one directory.
struct TIFFDirectory {
    /// The tags that readers use.
    enum Tag: Int, CaseIterable {
        case newSubfileType = 254
        case subfileType = 255
        case imageWidth = 256
        case imageLength = 257
        case compression = 259
        case photometric = 262
        case documentName = 269
        case stripOffsets = 273
        case orientation = 274
        case stripByteCounts = 279
        case pageName = 285
        case tileOffsets = 324
        case tileByteCounts = 325
        case subDirectories = 330
        case jpegTables = 347
        case jpegOffset = 513
        case jpegByteCount = 514
        case iptc = 33_723
        case photoshop = 34_377
        case exif = 34_665
        case gps = 34_853
        case dngVersion = 50_706
    }

    private static let longestBytes = 1 << 20

    let offset: Int
    /// The position of the offset of the next directory, and that offset; `nil` if this is the last one.
    let link: Int
    let next: Int?
    private let file: TIFFStructure
    /// The types and ranges of the values, by their tags.
    private var values: [Int: (kind: Int, range: Range<Int>)] = [:]

    /// - Returns: `nil` if the file has no directory there.
    init?(at offset: Int?, in file: TIFFStructure) {
        let entries = file.entries(offset)
        guard let offset, offset >= 8, !entries.isEmpty, let link = file.link(behind: offset), link <= file.count else {
            return nil
        }
        self.offset = offset
        self.file = file
        self.link = link
        next = file.number(link, file.offsetSize).flatMap { $0 > 0 ? $0 : nil }
        for entry in entries where values[entry.tag] == nil { values[entry.tag] = file.values(of: entry) }
    }

    func has(_ tag: Tag) -> Bool { values[tag.rawValue] != nil }

    /// Returns the first `most` whole numbers of an entry.
    func numbers(_ tag: Tag, most: Int) -> [Int] { file.wholes(values[tag.rawValue], most: most) }

    func number(_ tag: Tag) -> Int? { numbers(tag, most: 1).first }

    /// Returns the bytes of an entry; `nil` if there is none.
    func bytes(_ tag: Tag) -> Data? {
        values[tag.rawValue].flatMap { file.piece($0.range.lowerBound, min($0.range.count, Self.longestBytes)) }
    }

    /// Returns a text; `nil` if there is none.
    func text(_ tag: Tag) -> String? { file.text(values[tag.rawValue]) }

    // MARK: EXIF

    /// The tags of the first directory that describe the image and not its pixels: description, make, model, software,
    /// time, artist, host computer, copyright.
    static let describing: Set = [0x010E, 0x010F, 0x0110, 0x0131, 0x0132, 0x013B, 0x013C, 0x8298]
    private static let longestValue = 64 << 10

    /// The fields of this directory, and of its EXIF and GPS directories, as EXIF data; `nil` if there are none. Maker
    /// notes are left out, because they hold offsets in the file.
    var exif: Data? {
        func below(_ tag: Tag) -> [EXIFField] {
            TIFFDirectory(at: number(tag), in: file)?.fields { $0 != 0x927C && $0 != 0xA005 } ?? []
        }
        return EXIFField.data(
            fields { Self.describing.contains($0) }, details: below(.exif), gps: below(.gps), isBig: file.isBig)
    }

    private func fields(_ isWanted: (Int) -> Bool) -> [EXIFField] {
        var left = Self.longestBytes
        return values.sorted { $0.key < $1.key }.compactMap { tag, value in
            guard isWanted(tag), value.kind <= 12, let size = TIFFKind.lengths[value.kind],
                value.range.count <= min(left, Self.longestValue),
                let bytes = file.piece(value.range.lowerBound, value.range.count)
            else { return nil }
            left -= bytes.count
            return EXIFField(tag: tag, type: value.kind, count: bytes.count / size, bytes: [UInt8](bytes))
        }
    }
}

/// A field of EXIF data that are written.
struct EXIFField {
    let tag: Int
    let type: Int
    let count: Int
    let bytes: [UInt8]

    /// Returns EXIF data with these fields, each list in the order of its tags; `nil` if there are none.
    ///
    /// - Source: EXIF 2.32 §4.5, §4.6.2, §4.6.3.
    static func data(_ main: [EXIFField], details: [EXIFField] = [], gps: [EXIFField] = [], isBig: Bool) -> Data? {
        if main.isEmpty, details.isEmpty, gps.isEmpty { return nil }
        func directory(_ fields: [EXIFField], at offset: Int) -> [UInt8] {
            let (rows, values) = table(fields, valuesAt: offset + 2 + 12 * fields.count + 4, isBig: isBig)
            return fields.count.bytes(2, isBig: isBig) + rows.flatMap(\.bytes) + [0, 0, 0, 0] + values
        }
        func whole(_ first: Int, _ second: Int) -> [UInt8] {
            let links = [(0x8769, details, first), (0x8825, gps, second)].filter { !$0.1.isEmpty }
            return directory(
                main + links.map { EXIFField(tag: $0.0, type: 4, count: 1, bytes: $0.2.bytes(4, isBig: isBig)) }, at: 8)
        }
        let first = 8 + whole(0, 0).count
        let below = details.isEmpty ? [] : directory(details, at: first)
        let start = first + below.count
        let header = (isBig ? Array("MM\0*".utf8) : Array("II*\0".utf8)) + 8.bytes(4, isBig: isBig)
        return Data(header + whole(first, start) + below + (gps.isEmpty ? [] : directory(gps, at: start)))
    }

    /// Returns the entries of fields, and the values that do not fit into them, which are stored from `start` on.
    static func table(
        _ fields: [EXIFField], valuesAt start: Int, isBig: Bool
    ) -> (rows: [(tag: Int, bytes: [UInt8])], values: [UInt8]) {
        var values: [UInt8] = []
        let rows = fields.map { field in
            let head = [(field.tag, 2), (field.type, 2), (field.count, 4)].flatMap { $0.bytes($1, isBig: isBig) }
            if field.bytes.count <= 4 {
                return (field.tag, head + field.bytes + [UInt8](repeating: 0, count: 4 - field.bytes.count))
            }
            let offset = (start + values.count).bytes(4, isBig: isBig)
            // A value starts at an even offset.
            values += field.bytes + [UInt8](repeating: 0, count: field.bytes.count % 2)
            return (field.tag, head + offset)
        }
        return (rows, values)
    }
}
