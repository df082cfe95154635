import FoundationEssentials

/// EXIF data in a camera's form: an image's directory with details, followed by the directory of a thumbnail.
struct HandmadeEXIF {
    var isBig = false
    var orientation = 6
    var size = (width: 4_000, height: 3_000)
    var thumbnail = Data(repeating: 0xAB, count: 40)

    /// The data, from the TIFF header on.
    var data: Data {
        // Header, directory of 4, details of 2, directory of 2, thumbnail.
        let details = 8 + 2 + 4 * 12 + 4
        let second = details + 2 + 2 * 12 + 4
        let image = second + 2 + 2 * 12 + 4
        var bytes = Data(isBig ? [0x4D, 0x4D, 0, 0x2A] : [0x49, 0x49, 0x2A, 0]) + long(8)
        bytes += short(4) + entry(0x0100, 4, size.width) + entry(0x0112, 3, orientation)
        // Two letters and a zero: short enough to be stored in the entry.
        bytes += short(0x010F) + short(2) + long(3) + Data("Me\0\0".utf8)
        bytes += entry(0x8769, 4, details) + long(second)
        bytes += short(2) + entry(0xA002, 3, size.width) + entry(0xA003, 4, size.height) + long(0)
        bytes += short(2) + entry(0x0201, 4, image) + entry(0x0202, 4, thumbnail.count) + long(0)
        return bytes + thumbnail
    }

    private func entry(_ tag: Int, _ type: Int, _ value: Int) -> Data {
        short(tag) + short(type) + long(1) + (type == 3 ? short(value) + short(0) : long(value))
    }

    private func short(_ value: Int) -> Data { number(value, 2) }
    private func long(_ value: Int) -> Data { number(value, 4) }

    private func number(_ value: Int, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (isBig ? count - 1 - $0 : $0))) })
    }
}
