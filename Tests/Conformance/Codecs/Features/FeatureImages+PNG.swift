import FirnImage
import FoundationEssentials

extension FeatureImages {
    /// Every color type at every bit depth, in order and interlaced; transparent colors; pixels in several chunks.
    static let png: [GeneratedImage] = grays + palettes + colorTypes + transparentColors + [pieces]

    private static let size = GeneratedPixels.size

    /// Returns both orders of rows, in which `samples` are stored.
    private static func file(
        _ name: String, type: Int, depth: Int, samples: [Int], before: [(String, [UInt8])] = [], pixels: [UInt8]
    ) -> [GeneratedImage] {
        let stored = rows(samples).map { HandmadePNG.packed($0, depth: depth) }
        var png = HandmadePNG(width: size.width, height: size.height, depth: depth, colorType: type, rows: stored)
        png.before = before
        var images = [still("png-\(name)-\(depth)", .png, png.data, pixels)]
        png.isInterlaced = true
        images.append(still("png-\(name)-\(depth)-interlaced", .png, png.data, pixels))
        return images
    }

    /// Returns samples that increase to the right and downward, and start again after the largest.
    private static func ramp(depth: Int, channels: Int = 1) -> [Int] {
        (0..<size.area).flatMap { at in
            (0..<channels).map { channel -> Int in
                let step = depth == 16 ? 1741 : depth == 8 ? 5 : 1
                let place = at % size.width + at / size.width * (channel + 1)
                return (place * step + channel) & ((1 << depth) - 1)
            }
        }
    }

    /// Returns a sample in 8 bits: scaled, or the high byte.
    private static func byte(_ sample: Int, depth: Int) -> UInt8 {
        depth == 16 ? UInt8(sample >> 8) : UInt8(sample * 255 / ((1 << depth) - 1))
    }

    private static let grays = [1, 2, 4, 8, 16].flatMap { depth in
        let samples = ramp(depth: depth)
        return file(
            "gray", type: 0, depth: depth, samples: samples, pixels: gray(samples.map { byte($0, depth: depth) }))
    }

    /// The entries of a palette; of every third one, the alpha is less than full.
    private static func entry(_ index: Int) -> [UInt8] {
        [
            UInt8(index * 11 & 255), UInt8(255 - index), UInt8(index * 90 & 255),
            index % 3 == 1 ? UInt8(100 + index) : 255,
        ]
    }

    private static let palettes = [1, 2, 4, 8].flatMap { depth in
        let samples = ramp(depth: depth)
        let entries = (0..<min(1 << depth, 150)).map(entry)
        let chunks = [("PLTE", entries.flatMap { $0.prefix(3) }), ("tRNS", entries.map { $0[3] })]
        // Some rows have larger numbers at 8 bits than the palette has entries; they are kept inside it.
        let inside = samples.map { $0 % entries.count }
        return file(
            "palette", type: 3, depth: depth, samples: inside, before: chunks, pixels: inside.flatMap(entry))
    }

    private static let colorTypes = [8, 16].flatMap { depth in
        [("rgb", 2, 3), ("gray-alpha", 4, 2), ("rgba", 6, 4)].flatMap { name, type, channels in
            let samples = ramp(depth: depth, channels: channels)
            let bytes = samples.map { byte($0, depth: depth) }
            let pixels = stride(from: 0, to: bytes.count, by: channels).flatMap { at -> [UInt8] in
                let color = channels < 3 ? [UInt8](repeating: bytes[at], count: 3) : Array(bytes[at..<at + 3])
                let alpha = channels % 2 == 0 ? bytes[at + channels - 1] : 255
                return alpha == 0 ? [0, 0, 0, 0] : color + [alpha]
            }
            return file(name, type: type, depth: depth, samples: samples, pixels: pixels)
        }
    }

    /// One color is transparent. At 16 bits, others differ from it in the low byte only.
    private static let transparentColors = [(0, 1, 1), (0, 4, 1), (0, 16, 1), (2, 8, 3), (2, 16, 3)].flatMap {
        type, depth, channels in
        var samples = ramp(depth: depth, channels: channels)
        let key = Array(samples[5 * channels..<6 * channels])
        if depth == 16 { samples[6 * channels] = samples[5 * channels] ^ 1 }
        if depth == 16, channels == 3 { samples.replaceSubrange(19..<21, with: key[1...]) }
        let pixels = stride(from: 0, to: samples.count, by: channels).flatMap { at -> [UInt8] in
            let color = Array(samples[at..<at + channels])
            if color == key { return [0, 0, 0, 0] }
            let bytes = color.map { byte($0, depth: depth) }
            return [bytes[0], bytes[channels / 2], bytes[channels - 1], 255]
        }
        let chunk = ("tRNS", key.flatMap { HandmadePNG.big($0, 2) })
        return file("transparent-\(type)", type: type, depth: depth, samples: samples, before: [chunk], pixels: pixels)
    }

    private static let pieces: GeneratedImage = {
        let pixels = GeneratedPixels.slopes()
        var png = HandmadePNG(width: size.width, height: size.height, colorType: 6, rows: rows(pixels))
        png.pieces = 7
        return still("png-pieces", .png, png.data, pixels)
    }()
}
