#if GTK
import Firn
import FirnImage
import FoundationEssentials

/// Assembles still images into an animated PNG, which Firn reads and does not write.
enum APNGAssembly {
    private struct Chunk {
        var type: String
        var content: [UInt8]
    }

    static func data(_ frames: [Bitmap], milliseconds: Int) throws -> Data {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        var number = 0
        func next() -> [UInt8] {
            defer { number += 1 }
            return big(number, 4)
        }
        for (index, frame) in frames.enumerated() {
            let still = chunks(Array(try PNGEncoder(reducesColors: false).encode(frame)))
            if index == 0 {
                bytes += still.filter { $0.type == "IHDR" }.flatMap(written)
                bytes += written(Chunk(type: "acTL", content: big(frames.count, 4) + big(0, 4)))
            }
            var control = next() + big(frame.size.width, 4) + big(frame.size.height, 4) + big(0, 4) + big(0, 4)
            control += big(milliseconds, 2) + big(1_000, 2) + [0, 0]
            bytes += written(Chunk(type: "fcTL", content: control))
            for chunk in still where chunk.type == "IDAT" {
                bytes += written(index == 0 ? chunk : Chunk(type: "fdAT", content: next() + chunk.content))
            }
        }
        return Data(bytes + written(Chunk(type: "IEND", content: [])))
    }

    private static func chunks(_ png: [UInt8]) -> [Chunk] {
        var found: [Chunk] = []
        var at = 8
        while at + 12 <= png.count {
            let length = png[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            guard at + 12 + length <= png.count else { break }
            let type = String(decoding: png[at + 4..<at + 8], as: UTF8.self)
            found.append(Chunk(type: type, content: Array(png[at + 8..<at + 8 + length])))
            at += 12 + length
        }
        return found
    }

    private static func written(_ chunk: Chunk) -> [UInt8] {
        let body = Array(chunk.type.utf8) + chunk.content
        var sum = ~UInt32(0)
        for byte in body {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return big(chunk.content.count, 4) + body + big(Int(~sum), 4)
    }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
#endif
