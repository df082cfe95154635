package import FoundationEssentials

/// A part of EXIF data that says more of a person than an image needs.
package enum EXIFPart: String, Hashable, Sendable, CaseIterable {
    /// The place: the directory of GPS fields.
    case gps
    /// The owner's name, the serial numbers of camera and lens, and the maker notes, which repeat them.
    case serials

    /// Returns EXIF data without some parts; `nil` if the data are damaged, so that no part is left by mistake.
    ///
    /// Source: EXIF 2.32 §4.6.3 (0x8825), §4.6.5 D (0x927C) and H (0xA430, 0xA431, 0xA435); DNG 1.7 (0xC62F).
    package static func removing(_ parts: Set<EXIFPart>, from exif: Data) -> Data? {
        guard !parts.isEmpty else { return exif }
        guard var directories = EXIFDirectories(exif) else { return nil }
        let main = directories.first
        let details = directories.value(0x8769, in: main)
        guard directories.isWhole(main), details == nil || directories.isWhole(details) else { return nil }
        // Order: the details first, because the removal from the main directory moves nothing but its own entries.
        if parts.contains(.serials) {
            directories.remove([0x927C, 0xA430, 0xA431, 0xA435], from: details)
            directories.remove([0xC62F], from: main)
        }
        if parts.contains(.gps) { directories.remove([0x8825], from: main, areDirectories: true) }
        return Data(directories.bytes)
    }
}

extension EXIFDirectories {
    /// Returns whether all entries of a directory, and its link, lie within the data and are looked at.
    func isWhole(_ directory: Int?) -> Bool {
        guard let directory, let count = number(directory, 2), let link = link(behind: directory) else { return false }
        return entries(directory).count == count && link + 4 <= bytes.count
    }

    /// Removes the entries with these tags and overwrites their values with zeros. Everything else but the entries
    /// behind them keeps its place, because maker notes hold offsets.
    ///
    /// - Parameter areDirectories: whether the values are directories, whose entries are overwritten, too.
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
        let lengths = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
        guard let kind = number(entry.offset + 2, 2), lengths.indices.contains(kind),
            let count = number(entry.offset + 4, 4), count * lengths[kind] > 4, let start = number(entry.offset + 8, 4)
        else { return nil }
        return start..<start + count * lengths[kind]
    }

    /// Overwrites the part of a range that lies behind the header and within the data.
    private mutating func overwrite(_ range: Range<Int>?) {
        guard let range else { return }
        for index in range.clamped(to: 8..<max(8, bytes.count)) { bytes[index] = 0 }
    }
}
