import FoundationEssentials

/// The structure of a TIFF or BigTIFF file whose bytes have all arrived. Every access is checked.
///
/// - Source: TIFF 6.0 §2; BigTIFF design.
struct TIFFStructure {
    let chain: ByteChain
    let isBigEndian: Bool
    /// True if offsets have 8 bytes.
    let isLong: Bool

    /// - Returns: `nil` if the bytes do not begin like a TIFF file.
    init?(_ chain: ByteChain) {
        self.chain = chain
        switch (chain.byte(at: 0), chain.byte(at: 1)) {
        case (0x49, 0x49): isBigEndian = false
        case (0x4D, 0x4D): isBigEndian = true
        default: return nil
        }
        let version = isBigEndian ? chain.big(2, 2) : chain.little(2, 2)
        guard version == 42 || version == 43 else { return nil }
        isLong = version == 43
    }

    /// The position of the offset of the first directory.
    var firstLink: Int { isLong ? 8 : 4 }
    var offsetSize: Int { isLong ? 8 : 4 }

    /// Returns the number of `size` bytes at `offset`; `nil` beyond the file, or beyond `Int`.
    func number(_ offset: Int, _ size: Int) -> Int? {
        let value = isBigEndian ? chain.big(offset, size) : chain.little(offset, size)
        return value.flatMap { $0 < Int.max ? $0 : nil }
    }

    /// Returns the bytes of an offset, as the file stores it.
    func bytes(ofOffset offset: Int) -> [UInt8] {
        isBigEndian ? offset.bigEndianBytes(offsetSize) : offset.littleEndianBytes(offsetSize)
    }

    /// The first directory.
    var first: TIFFDirectory? { number(firstLink, offsetSize).flatMap { TIFFDirectory(at: $0, in: self) } }
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

    /// The most entries that are read.
    private static let maximumEntries = 4_096
    private static let longestText = 2_000
    private static let longestBytes = 1 << 20

    let offset: Int
    /// The position of the offset of the next directory, and that offset; `nil` if this is the last one.
    let link: Int
    let next: Int?
    private let file: TIFFStructure
    /// The types, counts and offsets of the values, by their tags.
    private var values: [Int: (type: Int, count: Int, offset: Int)] = [:]

    /// - Returns: `nil` if the file has no directory there.
    init?(at offset: Int, in file: TIFFStructure) {
        // An entry: tag, type, count, and the values or their offset.
        let (countSize, entrySize) = file.isLong ? (8, 20) : (2, 12)
        guard offset >= 8, offset < file.chain.count, let count = file.number(offset, countSize), count > 0,
            count <= (file.chain.count - offset - countSize) / entrySize
        else { return nil }
        self.offset = offset
        self.file = file
        link = offset + countSize + count * entrySize
        next = file.number(link, file.offsetSize).flatMap { $0 > 0 ? $0 : nil }
        for index in 0..<min(count, Self.maximumEntries) {
            let entry = offset + countSize + index * entrySize
            guard let tag = file.number(entry, 2), values[tag] == nil,
                let type = file.number(entry + 2, 2), let size = Self.bytesOfType[type],
                let count = file.number(entry + 4, file.offsetSize), count > 0, count <= file.chain.count / size
            else { continue }
            let field = entry + 4 + file.offsetSize
            guard let start = count * size <= file.offsetSize ? field : file.number(field, file.offsetSize),
                start <= file.chain.count - count * size
            else { continue }
            values[tag] = (type, count, start)
        }
    }

    /// The types of whole numbers and characters: BYTE, ASCII, UNDEFINED, UTF-8; SHORT; LONG, IFD; LONG8, IFD8.
    private static let wholeTypes: Set = [1, 2, 7, 129, 3, 4, 13, 16, 18]
    /// The bytes of a value of each type.
    private static let bytesOfType = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 18: 8, 129: 1,
    ]

    private func value(_ tag: Tag) -> (type: Int, count: Int, offset: Int)? {
        values[tag.rawValue].flatMap { Self.wholeTypes.contains($0.type) ? $0 : nil }
    }

    func has(_ tag: Tag) -> Bool { value(tag) != nil }

    /// Returns the number of values of an entry.
    func count(_ tag: Tag) -> Int { value(tag)?.count ?? 0 }

    /// Returns the first `most` whole numbers of an entry.
    func numbers(_ tag: Tag, most: Int) -> [Int] {
        guard let value = value(tag), value.type != 2, let size = Self.bytesOfType[value.type] else { return [] }
        return (0..<min(value.count, most)).compactMap { file.number(value.offset + $0 * size, size) }
    }

    func number(_ tag: Tag) -> Int? { numbers(tag, most: 1).first }

    /// Returns the bytes of an entry; `nil` if there is none.
    func bytes(_ tag: Tag) -> Data? {
        guard let value = value(tag), let size = Self.bytesOfType[value.type] else { return nil }
        return file.chain.bytes(at: value.offset, count: min(value.count * size, Self.longestBytes))
    }

    /// Returns a text; `nil` if there is none.
    func text(_ tag: Tag) -> String? {
        guard let value = value(tag), Self.bytesOfType[value.type] == 1,
            let bytes = file.chain.bytes(at: value.offset, count: min(value.count, Self.longestText))
        else { return nil }
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    // MARK: EXIF

    /// The tags of the first directory that describe the image and not its pixels: description, make, model, software,
    /// time, artist, host computer, copyright.
    private static let describing: Set = [0x010E, 0x010F, 0x0110, 0x0131, 0x0132, 0x013B, 0x013C, 0x8298]
    private static let longestValue = 64 << 10

    /// The fields of this directory, and of its EXIF and GPS directories, as EXIF data; `nil` if there are none. Maker
    /// notes are left out, because they hold offsets in the file.
    var exif: Data? {
        func below(_ tag: Tag) -> [EXIFField] {
            number(tag).flatMap { TIFFDirectory(at: $0, in: file) }?.fields { $0 != 0x927C && $0 != 0xA005 } ?? []
        }
        return EXIFField.data(
            fields { Self.describing.contains($0) }, details: below(.exif), gps: below(.gps), isBig: file.isBigEndian)
    }

    private func fields(_ isWanted: (Int) -> Bool) -> [EXIFField] {
        var left = Self.longestBytes
        return values.sorted { $0.key < $1.key }.compactMap { tag, value in
            guard isWanted(tag), value.type <= 12, let size = Self.bytesOfType[value.type],
                value.count * size <= min(left, Self.longestValue),
                let bytes = file.chain.bytes(at: value.offset, count: value.count * size)
            else { return nil }
            left -= bytes.count
            return EXIFField(tag: tag, type: value.type, count: value.count, bytes: [UInt8](bytes))
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
        func encoded(_ value: Int, _ count: Int) -> [UInt8] {
            isBig ? value.bigEndianBytes(count) : value.littleEndianBytes(count)
        }
        func directory(_ fields: [EXIFField], at offset: Int) -> [UInt8] {
            var (table, values) = (encoded(fields.count, 2), [UInt8]())
            for field in fields {
                table += encoded(field.tag, 2) + encoded(field.type, 2) + encoded(field.count, 4)
                if field.bytes.count <= 4 {
                    table += field.bytes + [UInt8](repeating: 0, count: 4 - field.bytes.count)
                } else {
                    table += encoded(offset + 2 + 12 * fields.count + 4 + values.count, 4)
                    // A value starts at an even offset.
                    values += field.bytes + [UInt8](repeating: 0, count: field.bytes.count % 2)
                }
            }
            return table + [0, 0, 0, 0] + values
        }
        func whole(_ first: Int, _ second: Int) -> [UInt8] {
            let links = [(0x8769, details, first), (0x8825, gps, second)].filter { !$0.1.isEmpty }
            return directory(
                main + links.map { EXIFField(tag: $0.0, type: 4, count: 1, bytes: encoded($0.2, 4)) }, at: 8)
        }
        let first = 8 + whole(0, 0).count
        let below = details.isEmpty ? [] : directory(details, at: first)
        let start = first + below.count
        let header = (isBig ? Array("MM\0*".utf8) : Array("II*\0".utf8)) + encoded(8, 4)
        return Data(header + whole(first, start) + below + (gps.isEmpty ? [] : directory(gps, at: start)))
    }
}
