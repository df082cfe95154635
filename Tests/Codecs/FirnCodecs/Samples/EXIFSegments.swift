import FoundationEssentials

/// Writes EXIF data: a TIFF file with two directories.
enum EXIFSegments {
    /// Returns EXIF data, most significant byte first: a directory of `entries` (tag, type, value), a directory with
    /// the position of `thumbnail`, then `fractions` (a value may be an index into them), then the thumbnail.
    static func data(
        _ entries: [(tag: Int, type: Int, value: Int)], fractions: [(Int, Int)] = [], thumbnail: Data? = nil
    ) -> Data {
        let second = 8 + 2 + 12 * entries.count + 4
        let fractionsStart = second + 2 + 24 + 4
        let thumbnailStart = fractionsStart + 8 * fractions.count
        func number(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func entry(_ tag: Int, _ type: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(1, 4)
                + (type == 3 ? number(value, 2) + [0, 0] : number(value, 4))
        }
        var bytes: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] + number(entries.count, 2)
        for item in entries {
            bytes += entry(item.tag, item.type, item.type == 5 ? fractionsStart + 8 * item.value : item.value)
        }
        bytes += number(thumbnail == nil ? 0 : second, 4)
        bytes +=
            number(2, 2) + entry(0x0201, 4, thumbnailStart) + entry(0x0202, 4, thumbnail?.count ?? 0) + number(0, 4)
        for fraction in fractions { bytes += number(fraction.0, 4) + number(fraction.1, 4) }
        return Data(bytes) + (thumbnail ?? Data())
    }

    /// Returns EXIF data with an orientation.
    static func data(_ orientation: Int, thumbnail: Data? = nil) -> Data {
        data([(tag: 0x0112, type: 3, value: orientation)], thumbnail: thumbnail)
    }

    /// Returns the same data as a segment of a JPEG.
    static func segment(_ orientation: Int, thumbnail: Data? = nil) -> (code: UInt8, content: Data) {
        (0xE1, Data("Exif\0\0".utf8) + data(orientation, thumbnail: thumbnail))
    }
}
