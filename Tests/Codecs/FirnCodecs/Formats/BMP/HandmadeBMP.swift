import FoundationEssentials

/// Writes BMP files field by field, including invalid ones.
struct HandmadeBMP {
    var width: Int
    /// Negative if rows are stored from the top.
    var height: Int
    var bits: Int
    var compression = 0
    /// 12, 40, 52, 56, 64, 108 or 124.
    var headerLength = 40
    var colorsUsed = 0
    /// Masks of red, green, blue and alpha; after a header of 40 bytes, or inside a longer one.
    var masks: [UInt32] = []
    /// Entries of three bytes: blue, green, red.
    var palette: [[UInt8]] = []
    /// Rows as stored, or run-length codes, without padding.
    var rows: [[UInt8]]
    /// The position of the pixels in the file header; the correct one if `nil`.
    var statedOffset: Int?
    var colorSpace: UInt32 = 0x7352_4742
    /// An ICC profile after the pixels.
    var profile: [UInt8] = []
    /// The end points of red, green and blue, and the gammas, as stored: 12 numbers.
    var calibration: [UInt32] = []
    /// True if the last row is padded.
    var padsLast = true

    var data: Data {
        let header = dib
        let offset = 14 + header.count
        let pixels = self.pixels
        var bytes: [UInt8] = Array("BM".utf8) + little(offset + pixels.count, 4) + little(0, 4)
        bytes += little(statedOffset ?? offset, 4)
        return Data(bytes + header + pixels + profile)
    }

    /// The header, the masks after it, and the palette.
    var dib: [UInt8] {
        var bytes = little(headerLength, 4)
        if headerLength == 12 {
            bytes += little(width, 2) + little(height, 2) + little(1, 2) + little(bits, 2)
            return bytes + palette.flatMap { $0 }
        }
        bytes += little(width, 4) + little(height, 4) + little(1, 2) + little(bits, 2) + little(compression, 4)
        bytes += little(compression == 0 ? 0 : pixels.count, 4) + little(2835, 4) + little(5669, 4)
        bytes += little(colorsUsed, 4) + little(0, 4)
        for mask in masks { bytes += little(Int(mask), 4) }
        while bytes.count < headerLength { bytes.append(0) }
        if headerLength >= 108 {
            bytes.replaceSubrange(56..<60, with: little(Int(colorSpace), 4))
            for (index, value) in calibration.enumerated() {
                bytes.replaceSubrange(60 + index * 4..<64 + index * 4, with: little(Int(value), 4))
            }
        }
        if headerLength >= 124, !profile.isEmpty {
            bytes.replaceSubrange(112..<116, with: little(headerLength + palette.count * 4 + pixels.count, 4))
            bytes.replaceSubrange(116..<120, with: little(profile.count, 4))
        }
        return bytes + palette.flatMap { $0 + [0] }
    }

    /// The rows, each padded to four bytes unless they are codes.
    var pixels: [UInt8] {
        if compression == 1 || compression == 2 || compression == 4 || compression == 5 { return rows.flatMap { $0 } }
        var bytes: [UInt8] = []
        for (index, row) in rows.enumerated() {
            bytes += row
            while bytes.count % 4 != 0, padsLast || index + 1 < rows.count { bytes.append(0xEE) }
        }
        return bytes
    }
}

/// Returns `value` in `count` bytes, least significant first.
func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}
