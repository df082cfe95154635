import FirnImage
import FirnTesting
import FoundationEssentials

extension Bitmap {
    /// Returns an opaque image whose pixels encode the letters of `rows`, with distinct colors in all channels.
    static func labeled(_ rows: [String], format: PixelFormat) throws -> Bitmap {
        try Bitmap(size: PixelSize(width: rows[0].utf8.count, height: rows.count), format: format, isOpaque: true) {
            pixels in
            for (y, row) in rows.enumerated() {
                for (x, label) in row.utf8.enumerated() {
                    let pixel = [label, label &+ 50, label &+ 100, 255]
                    let start = pixels.row(y) + x * format.bytesPerPixel
                    for channel in 0..<format.bytesPerPixel {
                        start.storeBytes(of: pixel[channel], toByteOffset: channel, as: UInt8.self)
                    }
                }
            }
        }
    }

    /// The letters of an image that ``labeled(_:format:)`` made; `?` for a damaged pixel.
    var labels: [String] {
        let all = pixels
        return (0..<size.height).map { y in
            let row = all[y * size.width..<(y + 1) * size.width]
            return String(
                decoding: row.map { pixel in
                    let whole = zip(pixel, [pixel[0], pixel[0] &+ 50, pixel[0] &+ 100, 255]).allSatisfy { $0 == $1 }
                    return whole ? pixel[0] : UInt8(ascii: "?")
                }, as: UTF8.self)
        }
    }

    /// The bytes of every pixel, row by row, without row padding.
    var pixels: [[UInt8]] {
        let count = format.bytesPerPixel
        let packed = packedBytes
        return stride(from: 0, to: packed.count, by: count).map { Array(packed[$0..<$0 + count]) }
    }

    /// The bytes of all pixels, without row padding.
    var packedBytes: [UInt8] {
        withUnsafeBytes { all in
            let used = size.width * format.bytesPerPixel
            return (0..<size.height).flatMap { all[$0 * bytesPerRow..<$0 * bytesPerRow + used] }
        }
    }

    /// Returns random bytes, the same for the same seed; not valid as premultiplied pixels.
    static func noise(_ size: PixelSize, format: PixelFormat, seed: UInt64) throws -> Bitmap {
        var random = SeededGenerator(seed: seed)
        return try Bitmap(size: size, format: format) { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width * format.bytesPerPixel {
                    pixels.row(y).storeBytes(
                        of: UInt8.random(in: 0...255, using: &random), toByteOffset: x, as: UInt8.self)
                }
            }
        }
    }
}

extension ColorProfile {
    /// Returns a minimal ICC profile of RGB colors that passes validation.
    static func made(length: Int = 132) -> ColorProfile? {
        var profile = [UInt8](repeating: 0, count: max(132, length))
        for (index, byte) in withUnsafeBytes(of: UInt32(profile.count).bigEndian, Array.init).enumerated() {
            profile[index] = byte
        }
        for (start, text) in [(12, "mntr"), (16, "RGB "), (20, "XYZ "), (36, "acsp")] {
            for (index, byte) in text.utf8.enumerated() { profile[start + index] = byte }
        }
        profile[8] = 4
        for index in 132..<max(132, profile.count) { profile[index] = UInt8(truncatingIfNeeded: index &* 7) }
        return ColorProfile(icc: Data(profile))
    }
}
