import FoundationEssentials

/// The structure of a TIFF or BigTIFF file whose bytes have all arrived. Every access is checked.
///
/// - Source: TIFF 6.0 §2; BigTIFF design.
struct TIFFStructure {
    let chain: ByteChain
    private let isBigEndian: Bool
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
    /// The tags that are read.
    enum Tag: Int, CaseIterable {
        case newSubfileType = 254
        case subfileType = 255
        case imageWidth = 256
        case imageLength = 257
        case compression = 259
        case photometric = 262
        case description = 270
        case make = 271
        case model = 272
        case stripOffsets = 273
        case orientation = 274
        case stripByteCounts = 279
        case software = 305
        case dateTime = 306
        case artist = 315
        case tileOffsets = 324
        case tileByteCounts = 325
        case subDirectories = 330
        case jpegTables = 347
        case jpegOffset = 513
        case jpegByteCount = 514
        case copyright = 33_432
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
    /// The types, counts and offsets of the values.
    private var values: [Tag: (type: Int, count: Int, offset: Int)] = [:]

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
            guard let tag = file.number(entry, 2).flatMap({ Tag(rawValue: $0) }), values[tag] == nil,
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

    /// The bytes of a whole number or character of each type: BYTE, ASCII, UNDEFINED, UTF-8; SHORT; LONG, IFD; LONG8,
    /// IFD8.
    private static let bytesOfType = [1: 1, 2: 1, 7: 1, 129: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8]

    func has(_ tag: Tag) -> Bool { values[tag] != nil }

    /// Returns the number of values of an entry.
    func count(_ tag: Tag) -> Int { values[tag]?.count ?? 0 }

    /// Returns the first `most` whole numbers of an entry.
    func numbers(_ tag: Tag, most: Int) -> [Int] {
        guard let value = values[tag], value.type != 2, let size = Self.bytesOfType[value.type] else { return [] }
        return (0..<min(value.count, most)).compactMap { file.number(value.offset + $0 * size, size) }
    }

    func number(_ tag: Tag) -> Int? { numbers(tag, most: 1).first }

    /// Returns the bytes of an entry; `nil` if there is none.
    func bytes(_ tag: Tag) -> Data? {
        guard let value = values[tag], let size = Self.bytesOfType[value.type] else { return nil }
        return file.chain.bytes(at: value.offset, count: min(value.count * size, Self.longestBytes))
    }

    /// Returns a text; `nil` if there is none.
    func text(_ tag: Tag) -> String? {
        guard let value = values[tag], Self.bytesOfType[value.type] == 1,
            let bytes = file.chain.bytes(at: value.offset, count: min(value.count, Self.longestText))
        else { return nil }
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}
