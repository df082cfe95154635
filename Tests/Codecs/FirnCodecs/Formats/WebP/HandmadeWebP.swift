import FirnCodecs
import FirnImage
import FoundationEssentials

/// Puts images of the lossless encoder into containers that the encoder does not write.
struct HandmadeWebP {
    struct Frame {
        /// Even numbers, because the file stores their halves.
        var left = 0
        var top = 0
        var width: Int
        var height: Int
        /// Four bytes a pixel, straight.
        var pixels: [UInt8]
        var clears = false
        var blends = true
        var duration = 40
        /// Bytes of the frame's chunk behind its image.
        var behind: [UInt8] = []
    }

    var width: Int
    var height: Int
    var frames: [Frame]
    var loops = 0
    /// True if the file is a still image: its first frame.
    var isStill = false
    /// True if the file declares alpha, regardless of its pixels.
    var declaresAlpha = true
    /// Chunks before the pixels.
    var before: [(String, [UInt8])] = []
    /// Chunks after the pixels.
    var behind: [(String, [UInt8])] = []

    var data: Data {
        var flags: UInt8 = (isStill ? 0 : 0x02) | (declaresAlpha ? 0x10 : 0)
        if behind.contains(where: { $0.0 == "EXIF" }) { flags |= 0x08 }
        var chunks = HandmadeWebP.chunk(
            "VP8X", [flags, 0, 0, 0] + HandmadeWebP.little(width - 1, 3) + HandmadeWebP.little(height - 1, 3))
        for (type, content) in before { chunks += HandmadeWebP.chunk(type, content) }
        if isStill {
            chunks += frames.first.map(HandmadeWebP.image) ?? []
        } else {
            chunks += HandmadeWebP.chunk("ANIM", [9, 9, 9, 9] + HandmadeWebP.little(loops, 2))
            for frame in frames {
                var content: [UInt8] = []
                for value in [frame.left / 2, frame.top / 2, frame.width - 1, frame.height - 1, frame.duration] {
                    content += HandmadeWebP.little(value, 3)
                }
                content.append((frame.blends ? 0 : 2) | (frame.clears ? 1 : 0))
                chunks += HandmadeWebP.chunk("ANMF", content + HandmadeWebP.image(frame) + frame.behind)
            }
        }
        for (type, content) in behind { chunks += HandmadeWebP.chunk(type, content) }
        return Data(Array("RIFF".utf8) + HandmadeWebP.little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks)
    }

    /// Returns the chunk of pixels that the encoder writes.
    private static func image(_ frame: Frame) -> [UInt8] {
        let bitmap = try? Bitmap(
            size: PixelSize(width: frame.width, height: frame.height), format: .rgba8Straight
        ) { pixels in
            for y in 0..<frame.height {
                let row = frame.pixels[y * frame.width * 4..<(y + 1) * frame.width * 4]
                pixels.row(y).copyMemory(from: Array(row), byteCount: row.count)
            }
        }
        guard let bitmap, let file = try? [UInt8](WebPEncoder(lossless: true).encode(bitmap)) else { return [] }
        return Array(file.dropFirst(12))
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        Array(type.utf8) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
    }

    /// Returns `value` in `count` bytes, least significant first.
    static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
