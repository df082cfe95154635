import FirnCodecs
import FirnImage
import FoundationEssentials

/// Writes the formats for which Firn has no encoder: plain files, without compression.
enum GeneratedFiles {
    static let size = GeneratedPixels.size

    private static func little(_ value: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func big(_ value: Int, _ bytes: Int) -> [UInt8] { little(value, bytes).reversed() }

    // MARK: BMP and ICO

    /// Returns rows from the bottom, blue first.
    private static func dibRows(_ pixels: [UInt8], alpha: Bool) -> [UInt8] {
        (0..<size.height).reversed().flatMap { y in
            (0..<size.width).flatMap { x -> [UInt8] in
                let at = (y * size.width + x) * 4
                return [pixels[at + 2], pixels[at + 1], pixels[at]] + (alpha ? [pixels[at + 3]] : [])
            }
        }
    }

    private static func dibHeader(bits: Int, height: Int) -> [UInt8] {
        little(40, 4) + little(size.width, 4) + little(height, 4) + little(1, 2) + little(bits, 2)
            + [UInt8](repeating: 0, count: 24)
    }

    /// Returns a Windows bitmap of 24 bits a pixel. Rows of 24 pixels need no padding.
    static func bmp(_ pixels: [UInt8]) -> Data {
        let body = dibHeader(bits: 24, height: size.height) + dibRows(pixels, alpha: false)
        return Data(Array("BM".utf8) + little(14 + body.count, 4) + little(0, 4) + little(54, 4) + body)
    }

    /// Returns an icon with one image of 32 bits a pixel, and a mask that hides nothing.
    static func ico(_ pixels: [UInt8]) -> Data {
        let mask = [UInt8](repeating: 0, count: 4 * size.height)
        let body = dibHeader(bits: 32, height: size.height * 2) + dibRows(pixels, alpha: true) + mask
        let entry: [UInt8] = [UInt8(size.width), UInt8(size.height), 0, 0] + little(1, 2) + little(32, 2)
        return Data(little(0, 2) + little(1, 2) + little(1, 2) + entry + little(body.count, 4) + little(22, 4) + body)
    }

    // MARK: QOI

    /// Returns a QOI file in which each pixel has its full code.
    static func qoi(_ pixels: [UInt8], size: PixelSize = size) -> Data {
        let head = Array("qoif".utf8) + big(size.width, 4) + big(size.height, 4) + [4, 0]
        let codes = stride(from: 0, to: pixels.count, by: 4).flatMap { [0xFF] + pixels[$0..<$0 + 4] }
        return Data(head + codes + [0, 0, 0, 0, 0, 0, 0, 1])
    }

    // MARK: TIFF

    /// Returns a big-endian TIFF file with one page for each image, RGB in one strip.
    static func tiff(_ pages: [[UInt8]], orientation: Int) -> Data {
        var bytes: [UInt8] = Array("MM".utf8) + big(42, 2)
        let rgb = pages.map { page in stride(from: 0, to: page.count, by: 4).flatMap { page[$0..<$0 + 3] } }
        let entries = 11
        let length = 2 + 12 * entries + 4
        let strip = rgb.first?.count ?? 0
        // The pages' directories, the bits per sample, and the strips.
        let bits = 8 + length * pages.count
        bytes += big(8, 4)
        for index in pages.indices {
            bytes += big(entries, 2)
            let start = bits + 6 + index * strip
            for (tag, type, count, value) in [
                (256, 3, 1, size.width), (257, 3, 1, size.height), (258, 3, 3, bits), (259, 3, 1, 1), (262, 3, 1, 2),
                (273, 4, 1, start), (274, 3, 1, orientation), (277, 3, 1, 3), (278, 3, 1, size.height),
                (279, 4, 1, strip), (284, 3, 1, 1),
            ] {
                bytes += big(tag, 2) + big(type, 2) + big(count, 4)
                bytes += type == 3 && count == 1 ? big(value, 2) + [0, 0] : big(value, 4)
            }
            bytes += big(index + 1 < pages.count ? 8 + length * (index + 1) : 0, 4)
        }
        return Data(bytes + [0, 8, 0, 8, 0, 8] + rgb.flatMap { $0 })
    }

    // MARK: Animated PNG

    /// Returns an animated PNG of whole frames, made of the compressed pixels that the encoder writes for each.
    static func apng(_ frames: [[UInt8]], milliseconds: Int, loops: Int) throws -> Data {
        try apng(frames.map { try GeneratedPixels.bitmap($0) }, milliseconds: milliseconds, loops: loops)
    }

    /// Returns an animated PNG of frames of one size.
    static func apng(_ frames: [Bitmap], milliseconds: Int, loops: Int) throws -> Data {
        let files = try frames.map { try PNGEncoder(reducesColors: false).encode($0) }
        return apng(files: files, size: frames[0].size, milliseconds: milliseconds, loops: loops)
    }

    /// Returns an animated PNG whose frames are the pixels of PNG files of one size and color type. The header, palette
    /// and transparent color are those of the first file.
    static func apng(files: [Data], size: PixelSize, milliseconds: Int, loops: Int) -> Data {
        let files = files.map(chunks)
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        for (type, content) in files[0].prefix(while: { $0.0 != "IDAT" })
        where type.first?.isUppercase == true || type == "tRNS" {
            bytes += chunk(type, content)
        }
        bytes += chunk("acTL", big(files.count, 4) + big(loops, 4))
        var number = 0
        for (index, file) in files.enumerated() {
            let place = big(size.width, 4) + big(size.height, 4) + big(0, 8)
            bytes += chunk("fcTL", big(number, 4) + place + big(milliseconds, 2) + big(1000, 2) + [0, 0])
            number += 1
            for (type, content) in file where type == "IDAT" {
                bytes += index == 0 ? chunk(type, content) : chunk("fdAT", big(number, 4) + content)
                if index > 0 { number += 1 }
            }
        }
        return Data(bytes + chunk("IEND", []))
    }

    /// Returns the chunks of a PNG file.
    private static func chunks(_ file: Data) -> [(String, [UInt8])] {
        let bytes = [UInt8](file)
        var found: [(String, [UInt8])] = []
        var at = 8
        while at + 12 <= bytes.count {
            let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            found.append(
                (String(decoding: bytes[at + 4..<at + 8], as: UTF8.self), Array(bytes[at + 8..<at + 8 + length])))
            at += 12 + length
        }
        return found
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + content
        return big(content.count, 4) + body + big(Int(crc(body[...])), 4)
    }

    /// Returns the checksum of a chunk's type and content.
    static func crc(_ body: ArraySlice<UInt8>) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in body {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    // MARK: SVG

    /// The blocks as rectangles.
    static let svg = Data(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="24" height="16" shape-rendering="crispEdges">
        <rect x="0" y="0" width="8" height="8" fill="#f00"/><rect x="8" y="0" width="8" height="8" fill="#0f0"/>
        <rect x="16" y="0" width="8" height="8" fill="#00f"/><rect x="0" y="8" width="8" height="8" fill="#ff0"/>
        <rect x="8" y="8" width="8" height="8" fill="#000"/>
        </svg>
        """.utf8)
}
