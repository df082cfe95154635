import FoundationEssentials

/// Writes HEIF image sequences box by box: their tables may have any numbers, and their samples show no image.
struct HandmadeSequence {
    /// A part of the media: duration, start, and whether its image is held.
    struct Edit {
        var duration: Int
        var start: Int
        var dwells = false
    }

    var brands = ["hevc"]
    /// The number of samples, and the bytes of each.
    var samples = 1
    var sampleBytes = 1
    /// The units of the media from sample to sample.
    var sampleDuration = 1
    /// The offset of each chunk, each of which has one sample; one chunk with all samples if `nil`.
    var chunks: [Int]?
    /// Edits with numbers of 64 bits; no list if empty.
    var edits: [Edit] = []
    /// The units per second of the media and of the edits.
    var timescale = 1000
    /// `pict` for images, `vide` for video, whose brands say whether it is a sequence.
    var handler = "pict"
    var tracks = 1
    /// The bytes that the samples point to.
    var media: [UInt8] = []

    var data: Data { Data(head + media) }

    /// The bytes before the media, whose count depends on no offset.
    var head: [UInt8] {
        let type = box("ftyp", Array("hevc".utf8) + big(0, 4) + brands.flatMap { Array($0.utf8) })
        let header = full("mvhd", big(0, 8) + big(timescale, 4) + big(1000, 4) + big(0, 80))
        let track = track
        let movie = box("moov", header + (0..<tracks).flatMap { _ in track })
        return type + movie + (media.isEmpty ? [] : big(media.count + 8, 4) + Array("mdat".utf8))
    }

    private var track: [UInt8] {
        let matrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000].flatMap { big($0, 4) }
        let numbers = big(0, 8) + big(1, 4) + big(0, 4) + big(1000, 4) + big(0, 16)
        let header = full("tkhd", flags: 7, numbers + matrix + big(64 << 16, 4) + big(64 << 16, 4))
        var list: [UInt8] = []
        for edit in edits { list += big(edit.duration, 8) + big(edit.start, 8) + big(edit.dwells ? 0 : 0x10000, 4) }
        let edited = edits.isEmpty ? [] : box("edts", full("elst", version: 1, big(edits.count, 4) + list))
        let media =
            full("mdhd", big(0, 8) + big(timescale, 4) + big(1000, 4) + big(0, 4))
            + full("hdlr", big(0, 4) + Array(handler.utf8) + big(0, 13)) + box("minf", box("stbl", table))
        return box("trak", header + edited + box("mdia", media))
    }

    private var table: [UInt8] {
        var coding: [UInt8] = [1] + big(0, 20)
        coding.append(0xFC | 3)
        coding += [1, 0xA1]
        coding += big(1, 2) + big(parameters.count, 2) + parameters
        let sides: [UInt8] = big(0, 6) + big(1, 2) + big(0, 16) + big(64, 2) + big(64, 2) + big(0, 50)
        let entry = box("hvc1", sides + box("hvcC", coding))
        let places = chunks ?? [0]
        var table: [UInt8] = full("stsd", big(1, 4) + entry)
        table += full("stts", big(1, 4) + big(samples, 4) + big(sampleDuration, 4))
        table += full("stsc", big(1, 4) + big(1, 4) + big(chunks == nil ? samples : 1, 4) + big(1, 4))
        table += full("stsz", big(sampleBytes, 4) + big(samples, 4))
        return table + full("stco", big(places.count, 4) + places.flatMap { big($0, 4) })
    }

    /// A sequence parameter set of 64 by 64 pixels, 4:2:0, 8 bits (ITU-T H.265 §7.3.2.2).
    private var parameters: [UInt8] {
        var bits = "0100001000000001" + "0000" + "000" + "1"
        bits += "00000001" + "01100000" + String(repeating: "0", count: 72) + "01011101"
        for code in [0, 1, 64, 64] { bits += golomb(code) }
        bits += "0"
        for code in [0, 0, 4] { bits += golomb(code) }
        bits += "1"
        for code in [4, 0, 0, 0, 3, 0, 3, 0, 0] { bits += golomb(code) }
        bits += "00000" + String(repeating: "0", count: 20) + "1"
        bits += String(repeating: "0", count: (8 - bits.count % 8) % 8)
        let bytes = stride(from: 0, to: bits.count, by: 8).map { at in
            bits.dropFirst(at).prefix(8).reduce(UInt8(0)) { $0 << 1 | ($1 == "1" ? 1 : 0) }
        }
        return escaped(bytes)
    }

    private func golomb(_ code: Int) -> String {
        let digits = String(code + 1, radix: 2)
        return String(repeating: "0", count: digits.count - 1) + digits
    }

    /// Inserts the bytes that keep start codes out of a unit (§7.4.2).
    private func escaped(_ bytes: [UInt8]) -> [UInt8] {
        var (out, zeros) = ([UInt8](), 0)
        for byte in bytes {
            if zeros >= 2, byte <= 3 {
                out.append(3)
                zeros = 0
            }
            out.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return out
    }

    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    private func full(_ type: String, version: Int = 0, flags: Int = 0, _ content: [UInt8]) -> [UInt8] {
        box(type, big(version << 24 | flags, 4) + content)
    }

    private func big(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { $0 > 7 ? 0 : UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
