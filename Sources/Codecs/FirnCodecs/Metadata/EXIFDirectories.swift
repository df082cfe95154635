package import FoundationEssentials

/// Parses EXIF data: a TIFF file whose directories are lists of 12-byte entries (tag, type, count, value).
///
/// Invariant: every access lies within `bytes`; values beyond them count as missing.
///
/// Source: EXIF 2.32 §4.5; TIFF 6.0 §2.
package struct EXIFDirectories {
    /// One entry of a directory, and its offset.
    typealias Entry = (tag: Int, offset: Int)

    /// The types of values that are read.
    enum Kind {
        static let text = 2
        static let short = 3
        static let long = 4
        static let fraction = 5
    }

    /// The bytes of a value of each type; 0 for types that do not exist.
    static let lengths = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

    var bytes: [UInt8]
    let isBig: Bool

    /// Parses EXIF data, with or without `Exif\0\0` before them.
    ///
    /// - Returns: `nil` if the data are not a TIFF file.
    package init?(_ data: Data) {
        let bytes = [UInt8](data.starts(with: Array("Exif\0\0".utf8)) ? data.dropFirst(6) : data)
        isBig = bytes.starts(with: [0x4D, 0x4D, 0, 0x2A])
        guard bytes.count >= 8, isBig || bytes.starts(with: [0x49, 0x49, 0x2A, 0]) else { return nil }
        self.bytes = bytes
    }

    /// The offset of the image's directory.
    package var first: Int? { number(4, 4) }
    /// The offset of the thumbnail's directory.
    var second: Int? {
        first.flatMap(link).flatMap { number($0, 4) }.flatMap { $0 == 0 ? nil : $0 }
    }

    /// Returns the offset of the link to the next directory.
    func link(behind directory: Int) -> Int? { number(directory, 2).map { directory + 2 + 12 * $0 } }

    /// The most entries that are read of a directory. Writers store about a hundred, and lookups are linear.
    private static let maximumEntries = 4_096

    /// Returns the complete entries of a directory.
    func entries(_ directory: Int?) -> [Entry] {
        guard let directory, let count = number(directory, 2) else { return [] }
        return (0..<min(count, Self.maximumEntries)).lazy.map { directory + 2 + 12 * $0 }.prefix {
            $0 + 12 <= bytes.count
        }
        .compactMap { offset in
            number(offset, 2).map { ($0, offset) }
        }
    }

    /// Returns the value of the last entry of a tag: a SHORT, a LONG or an offset.
    package func value(_ tag: Int, in directory: Int?) -> Int? {
        entries(directory).last { $0.tag == tag }.flatMap { value(of: $0) }
    }

    /// Returns the whole number of an entry. Accepts a LONG where a SHORT is specified, because some writers store one.
    func value(of entry: Entry) -> Int? {
        number(entry.offset + 8, number(entry.offset + 2, 2) == Kind.short ? 2 : 4)
    }

    /// The range of the thumbnail.
    var thumbnail: Range<Int>? {
        guard let second, let start = value(0x0201, in: second), let length = value(0x0202, in: second), length > 0,
            start <= bytes.count, length <= bytes.count - start
        else { return nil }
        return start..<start + length
    }

    /// Sets all entries of a tag to a number.
    mutating func set(_ tag: Int, to value: Int, in directory: Int?) {
        for entry in entries(directory) where entry.tag == tag {
            // Up to 65,535 a SHORT, otherwise a LONG. Readers accept both for sizes. The orientation must be a SHORT.
            let isShort = value <= 0xFFFF
            put(isShort ? Kind.short : Kind.long, at: entry.offset + 2, 2)
            put(1, at: entry.offset + 4, 4)
            put(0, at: entry.offset + 8, 4)
            put(value, at: entry.offset + 8, isShort ? 2 : 4)
        }
    }

    /// Removes the second directory and the thumbnail.
    mutating func removeThumbnail() {
        guard let first, let link = link(behind: first), let second else { return }
        let thumbnail = thumbnail
        let table = self.link(behind: second).map { second..<min($0 + 4, bytes.count) }
        for range in [thumbnail, table] {
            guard let range, range.lowerBound < range.upperBound else { continue }
            for index in range { bytes[index] = 0 }
        }
        put(0, at: link, 4)
        if let thumbnail, thumbnail.upperBound == bytes.count, thumbnail.lowerBound >= 8 {
            bytes.removeLast(thumbnail.count)
        }
    }

    /// Returns the number of `count` bytes at `offset`.
    func number(_ offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        return isBig ? bytes.big(offset, count) : bytes.little(offset, count)
    }

    mutating func put(_ value: Int, at offset: Int, _ count: Int) {
        guard offset >= 0, offset <= bytes.count - count else { return }
        bytes.replaceSubrange(offset..<offset + count, with: encoded(value, count))
    }

    /// Returns a number in the data's order of bytes.
    func encoded(_ value: Int, _ count: Int) -> [UInt8] {
        isBig ? value.bigEndianBytes(count) : value.littleEndianBytes(count)
    }

    /// Returns whether all entries of a directory, and its link, lie within the data and are read.
    func isWhole(_ directory: Int?) -> Bool {
        guard let directory, let count = number(directory, 2), let link = link(behind: directory) else { return false }
        return entries(directory).count == count && link + 4 <= bytes.count
    }

    /// Removes the entries with these tags and overwrites their values with zeros. Only the entries after them move,
    /// because maker notes hold offsets.
    ///
    /// - Parameter areDirectories: whether the values are directories, whose entries are also overwritten.
    mutating func remove(_ tags: Set<Int>, from directory: Int?, areDirectories: Bool = false) {
        guard let directory, isWhole(directory), let link = link(behind: directory) else { return }
        let all = entries(directory)
        let removed = all.filter { tags.contains($0.tag) }
        let kept = all.filter { !tags.contains($0.tag) }.flatMap { bytes[$0.offset..<$0.offset + 12] }
        guard !removed.isEmpty else { return }
        let table = directory + 2..<link + 4
        let next = Array(bytes[link..<link + 4])
        for entry in removed {
            if areDirectories, let inner = value(of: entry) { clear(inner) }
            overwrite(valueRange(of: entry))
        }
        put(kept.count / 12, at: directory, 2)
        bytes.replaceSubrange(table, with: kept + next + Array(repeating: 0, count: 12 * removed.count))
    }

    /// Overwrites a directory and the values of its entries.
    private mutating func clear(_ directory: Int) {
        let entries = entries(directory)
        for entry in entries { overwrite(valueRange(of: entry)) }
        overwrite(directory..<directory + 2 + 12 * entries.count)
    }

    /// The range of the values of an entry that do not fit into it.
    private func valueRange(of entry: Entry) -> Range<Int>? {
        guard let kind = number(entry.offset + 2, 2), Self.lengths.indices.contains(kind),
            let count = number(entry.offset + 4, 4), count * Self.lengths[kind] > 4,
            let start = number(entry.offset + 8, 4)
        else { return nil }
        return start..<start + count * Self.lengths[kind]
    }

    /// Overwrites the part of a range that lies after the header and within the data.
    private mutating func overwrite(_ range: Range<Int>?) {
        guard let range else { return }
        for index in range.clamped(to: 8..<max(8, bytes.count)) { bytes[index] = 0 }
    }
}

/// A part of EXIF data that identifies a person or a place.
package enum EXIFPart: String, Hashable, Sendable, CaseIterable {
    /// The location: the directory of GPS fields.
    case gps
    /// The owner's name, the serial numbers of camera and lens, and the maker notes, which repeat them.
    case serials

    /// Returns EXIF data without some parts; `nil` if the data are damaged, so that no part survives by mistake.
    ///
    /// Source: EXIF 2.32 §4.6.3 (0x8825), §4.6.5 D (0x927C) and H (0xA430, 0xA431, 0xA435); DNG 1.7 (0xC62F).
    package static func removing(_ parts: Set<EXIFPart>, from exif: Data) -> Data? {
        guard !parts.isEmpty else { return exif }
        guard var directories = EXIFDirectories(exif) else { return nil }
        let main = directories.first
        let details = directories.value(0x8769, in: main)
        guard directories.isWhole(main), details == nil || directories.isWhole(details) else { return nil }
        // Order: the details first, because removal from a directory moves its own entries.
        if parts.contains(.serials) {
            directories.remove([0x927C, 0xA430, 0xA431, 0xA435], from: details)
            directories.remove([0xC62F], from: main)
        }
        if parts.contains(.gps) { directories.remove([0x8825], from: main, areDirectories: true) }
        return Data(directories.bytes)
    }
}
