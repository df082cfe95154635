internal import FirnSync
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

    // MARK: Values

    /// Returns the bytes of a value, as many as a list has numbers at most.
    func data(_ tag: Int, in directory: Int?) -> ArraySlice<UInt8>? {
        values(tag, in: directory).map { bytes[$0.range].prefix(TIFFKind.maximumValues) }
    }

    /// Returns numbers of any type; the first fraction with a denominator of 0 ends the list.
    package func numbers(_ tag: Int, in directory: Int?) -> [Double] {
        guard let (kind, range) = values(tag, in: directory), kind != TIFFKind.text, let size = TIFFKind.lengths[kind]
        else { return [] }
        func whole(_ offset: Int, _ size: Int, isSigned: Bool) -> Int? {
            let unused = isSigned ? Int.bitWidth - 8 * size : 0
            return number(offset, size).map { ($0 << unused) >> unused }
        }
        var numbers: [Double] = []
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: size).prefix(TIFFKind.maximumValues) {
            switch kind {
            case 5, 10:
                guard let above = whole(offset, 4, isSigned: kind == 10),
                    let below = whole(offset + 4, 4, isSigned: kind == 10), below != 0
                else { return numbers }
                numbers.append(Double(above) / Double(below))
            case 11: numbers.append(Double(Float(bitPattern: UInt32(truncatingIfNeeded: number(offset, 4) ?? 0))))
            case 12:
                let words = [offset, offset + 4].map { UInt64(clamping: number($0, 4) ?? 0) }
                numbers.append(Double(bitPattern: isBig ? words[0] << 32 | words[1] : words[1] << 32 | words[0]))
            default: numbers.append(Double(whole(offset, size, isSigned: [6, 8, 9].contains(kind)) ?? 0))
            }
        }
        return numbers
    }

    /// The orientation; upright if the data state none.
    ///
    /// Source: EXIF 2.32 §4.6.4 A, tag 0x0112.
    var orientation: ImageOrientation {
        let stated = entries(first).first { $0.tag == 0x0112 }.flatMap { wholes(values(of: $0)).first }
        return stated.flatMap { ImageOrientation(rawValue: $0) } ?? .up
    }

    /// The resolution in pixels per inch; `nil` if the data state none.
    ///
    /// Source: EXIF 2.32 §4.6.4 A, tags 0x011A, 0x011B and 0x0128.
    var resolution: ImageResolution? {
        // 2 is the inch, which is the default; 3 is the centimeter.
        let unit = value(0x0128, in: first) ?? 2
        guard unit == 2 || unit == 3, let across = numbers(0x011A, in: first).first,
            let down = numbers(0x011B, in: first).first, across > 0, down > 0
        else { return nil }
        let perInch = unit == 2 ? 1 : 2.54
        return ImageResolution(horizontal: across * perInch, vertical: down * perInch)
    }

    /// Sets the first value of a tag of fractions.
    private mutating func setFraction(_ tag: Int, to value: Double, in directory: Int?) {
        guard let (kind, range) = values(tag, in: directory), kind == TIFFKind.fraction, value > 0, value < 1e6 else {
            return
        }
        let below = value == value.rounded() ? 1 : 1_000
        put(Int(saturating: (value * Double(below)).rounded()), at: range.lowerBound, 4)
        put(below, at: range.lowerBound + 4, 4)
    }

    /// EXIF data without fields.
    static let empty = Data([0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0])

    /// Adds a resolution, if it is in the usual range and there is none.
    mutating func add(_ resolution: ImageResolution) {
        let usual = 0.01..<1e6
        guard usual.contains(resolution.horizontal), usual.contains(resolution.vertical) else { return }
        func field(_ value: Double) -> NewValue { .fractions([Int(saturating: (value * 1_000).rounded()) * 1_000]) }
        var changed = self
        let unit = EXIFField(tag: 0x0128, type: TIFFKind.short, count: 1, bytes: encoded(2, 2))
        let fields = [
            0x011A: field(resolution.horizontal), 0x011B: field(resolution.vertical), unit.tag: .field(unit),
        ]
        if changed.edit(.main, removing: [], adding: fields) { self = changed }
    }

    /// Replaces the stated resolution.
    mutating func set(_ resolution: ImageResolution) {
        setFraction(0x011A, to: resolution.horizontal, in: first)
        setFraction(0x011B, to: resolution.vertical, in: first)
        set(0x0128, to: 2, in: first)
    }

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

/// Updates EXIF data for an image whose pixels were rotated upright, and perhaps cropped or resized.
///
/// The data are changed in place: maker notes hold undocumented offsets, so nothing may move. The orientation becomes
/// 1, and sizes and resolution become the image's. The thumbnail is removed, because it shows the image before the
/// changes.
///
/// Source: EXIF 2.32 §4.6.4 A (0x0100, 0x0101, 0x0112, 0x011A, 0x011B, 0x0128), §4.6.3 (0x8769), §4.6.5 C (0xA002,
/// 0xA003).
enum UprightEXIF {
    /// - Parameters:
    ///   - exif: `nil` if there are none.
    ///   - resolution: replaces a stated one. Default: `nil`, which leaves it.
    ///   - addsResolution: whether to add the resolution if there is none, for formats that store it nowhere else.
    /// - Returns: `nil` if `exif` is not EXIF data, or there is nothing to write.
    static func data(
        _ exif: Data?, for size: PixelSize, _ resolution: ImageResolution? = nil, addsResolution: Bool = false
    ) -> Data? {
        guard var directories = EXIFDirectories(exif ?? EXIFDirectories.empty) else { return nil }
        // Order: the thumbnail first, because a damaged file may place it anywhere.
        directories.removeThumbnail()
        let first = directories.first
        directories.set(0x0100, to: size.width, in: first)
        directories.set(0x0101, to: size.height, in: first)
        let details = directories.value(0x8769, in: first)
        directories.set(0xA002, to: size.width, in: details)
        directories.set(0xA003, to: size.height, in: details)
        if let resolution {
            if directories.resolution != nil { directories.set(resolution) }
            // Order: behind the sizes, because the directory moves.
            if addsResolution, directories.resolution == nil { directories.add(resolution) }
        }
        // Order: last, because directories of a damaged file may overlap.
        directories.set(0x0112, to: 1, in: directories.first)
        return exif == nil && directories.resolution == nil ? nil : Data(directories.bytes)
    }
}
