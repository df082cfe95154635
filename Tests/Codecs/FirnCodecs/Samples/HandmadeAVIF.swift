#if AVIF
import FirnCodecs
import FirnImage
import FoundationEssentials

/// Puts an image of the encoder into a container with a rotation and a mirror.
enum HandmadeAVIF {
    /// The quarters of a turn, counterclockwise, and the mirror's axis of each orientation; axis 1 exchanges left
    /// and right.
    ///
    /// - Source: HEIF (ISO/IEC 23008-12) §6.5.10, §6.5.12.
    private static let transforms: [Int: (turns: UInt8, axis: UInt8?)] = [
        1: (0, nil), 2: (0, 1), 3: (2, nil), 4: (0, 0), 5: (1, 0), 6: (3, nil), 7: (3, 0), 8: (1, nil),
    ]

    /// Returns an opaque image with an orientation.
    ///
    /// - Parameter clap: the numbers of a clean aperture, each a numerator and a denominator.
    static func data(_ bitmap: Bitmap, orientation: Int, clap: [Int] = []) throws -> Data {
        let file = [UInt8](try AVIFEncoder(lossless: true).encode(bitmap))
        let payload = Array(found("mdat", in: file).dropFirst(8))
        let head = box("ftyp", Array("avif".utf8) + big(0, 4) + Array("avifmif1miaf".utf8))
        // Order: the offset depends on the length of the description, which does not depend on it.
        let length = head.count + meta(file, orientation, clap, start: 0, count: payload.count).count + 8
        return Data(
            head + meta(file, orientation, clap, start: length, count: payload.count) + box("mdat", payload))
    }

    private static func meta(
        _ file: [UInt8], _ orientation: Int, _ clap: [Int], start: Int, count: Int
    ) -> [UInt8] {
        var properties = ["ispe", "pixi", "av1C", "colr"].flatMap { found($0, in: file) }
        var uses: [UInt8] = [1, 2, 0x83, 4]
        if !clap.isEmpty {
            properties += box("clap", clap.flatMap { big($0, 4) })
            uses.append(0x85)
        }
        if let transform = transforms[orientation] {
            properties += box("irot", [transform.turns])
            uses.append(0x80 | UInt8(uses.count + 1))
            if let axis = transform.axis {
                properties += box("imir", [axis])
                uses.append(0x80 | UInt8(uses.count + 1))
            }
        }
        let place = big(1, 2) + big(0, 2) + big(1, 2) + big(start, 4) + big(count, 4)
        let name = box("infe", [2, 0, 0, 0] + big(1, 2) + big(0, 2) + Array("av01".utf8) + [0])
        let content =
            box("hdlr", big(0, 8) + Array("pict".utf8) + big(0, 13)) + box("pitm", big(0, 4) + big(1, 2))
            + box("iloc", [0, 0, 0, 0, 0x44, 0] + big(1, 2) + place)
            + box("iinf", big(0, 4) + big(1, 2) + name)
        let use = big(0, 4) + big(1, 4) + big(1, 2) + [UInt8(uses.count)] + uses
        return box("meta", big(0, 4) + content + box("iprp", box("ipco", properties) + box("ipma", use)))
    }

    /// Returns the first box of a type, wherever it is.
    private static func found(_ type: String, in file: [UInt8]) -> [UInt8] {
        let name = Array(type.utf8)
        guard let at = file.indices.dropFirst(4).first(where: { file[$0...].starts(with: name) }) else { return [] }
        let length = file[at - 4..<at].reduce(0) { $0 << 8 | Int($1) }
        return Array(file[(at - 4)...].prefix(length))
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] { HandmadePNG.big(value, count) }
}
#endif
