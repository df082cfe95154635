package import FoundationEssentials

/// EXIF data: a TIFF file whose entries have 12 bytes.
///
/// Source: EXIF 2.32 §4.5; TIFF 6.0 §2.
package struct EXIFDirectories: TIFFDirectories {
    var bytes: [UInt8]
    package let isBig: Bool
    package var isLong: Bool { false }
    package var count: Int { bytes.count }

    /// Parses EXIF data, with or without `Exif\0\0` before them.
    ///
    /// - Returns: `nil` if the data are not a TIFF file.
    package init?(_ data: Data) {
        let bytes = [UInt8](data.withoutEXIFName)
        isBig = bytes.starts(with: [0x4D, 0x4D, 0, 0x2A])
        guard bytes.count >= 8, isBig || bytes.starts(with: [0x49, 0x49, 0x2A, 0]) else { return nil }
        self.bytes = bytes
    }

    /// The offset of the thumbnail's directory.
    var second: Int? {
        first.flatMap(link).flatMap { number($0, 4) }.flatMap { $0 == 0 ? nil : $0 }
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
            put(isShort ? TIFFKind.short : TIFFKind.long, at: entry.offset + 2, 2)
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
        overwrite(thumbnail)
        overwrite(table)
        put(0, at: link, 4)
        if let thumbnail, thumbnail.upperBound == bytes.count, thumbnail.lowerBound >= 8 {
            bytes.removeLast(thumbnail.count)
        }
    }

    package func piece(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
        offset >= 0 && offset <= bytes.count - count ? bytes[offset..<offset + count] : nil
    }

    package func number(_ offset: Int, _ count: Int) -> Int? {
        let value = piece(offset, count).map { isBig ? $0.big(0, count) : $0.little(0, count) }
        return value.flatMap { $0 >= 0 ? $0 : nil }
    }

    mutating func put(_ value: Int, at offset: Int, _ count: Int) {
        guard offset >= 0, offset <= bytes.count - count else { return }
        bytes.replaceSubrange(offset..<offset + count, with: encoded(value, count))
    }

    /// Returns a number in the data's order of bytes.
    func encoded(_ value: Int, _ count: Int) -> [UInt8] { value.bytes(count, isBig: isBig) }

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
            if areDirectories, let inner = wholes(values(of: entry)).first { clear(inner) }
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
        guard let size = number(entry.offset + 2, 2).flatMap({ TIFFKind.lengths[$0] }),
            let count = number(entry.offset + 4, 4), count * size > 4, let start = number(entry.offset + 8, 4)
        else { return nil }
        return start..<start + count * size
    }

    /// Overwrites the part of a range that lies after the header and within the data.
    private mutating func overwrite(_ range: Range<Int>?) {
        guard let range else { return }
        for index in range.clamped(to: 8..<max(8, bytes.count)) { bytes[index] = 0 }
    }
}

extension Data {
    /// EXIF data without the name that precedes them in a JPEG file.
    var withoutEXIFName: Data { starts(with: JPEGMarker.exifName) ? dropFirst(JPEGMarker.exifName.count) : self }
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
        guard var directories = EXIFDirectories(exif), directories.remove(parts) else { return nil }
        return Data(directories.bytes)
    }
}

extension EXIFDirectories {
    /// Removes some parts; returns false if the data are damaged.
    mutating func remove(_ parts: Set<EXIFPart>) -> Bool {
        let (main, details, gps) = (first, offset(of: .details), offset(of: .gps))
        guard parts.isEmpty || isWhole(main), details == nil || !parts.contains(.serials) || isWhole(details),
            gps == nil || !parts.contains(.gps) || isWhole(gps)
        else { return false }
        // Order: the details first, because removal from a directory moves its own entries.
        if parts.contains(.serials) {
            remove([0x927C, 0xA430, 0xA431, 0xA435], from: details)
            remove([0xC62F], from: main)
        }
        if parts.contains(.gps) { remove([Place.gps.rawValue], from: main, areDirectories: true) }
        return true
    }
}
