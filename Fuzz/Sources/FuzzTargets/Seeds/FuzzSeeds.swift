import FirnCodecs
import FirnImage
import FoundationEssentials

/// Small seed images, made as the tests make theirs: one or two of every kind in a format.
enum FuzzSeeds {
    /// Returns the seed images of a format.
    static func images(of format: String) -> [Data] {
        switch format {
        case "jpeg", "jpegreduced":
            [
                DecoderSamples.baselineJPEG, DecoderSamples.progressiveJPEG, DecoderSamples.arithmeticJPEG,
                DecoderSamples.inkJPEG, HandmadeJPEG(width: 20, height: 12).data,
                HandmadeJPEG(width: 20, height: 12, factors: [(2, 2), (1, 1), (1, 1)]).data,
            ] + withMap(.jpeg)
        case "avif", "jxl": withMap(ImageFormat(rawValue: format))
        case "heic":
            [
                HandmadeHEIC.images(map: .tone([0, 0, 0, 0, 0, 0x40] + [UInt8](repeating: 1, count: 56))),
                HandmadeHEIC.images(map: .apple(exif: Data("MM\0*".utf8))),
            ]
        case "png": pngs
        case "gif": gifs
        case "webp": [DecoderSamples.losslessWebP, DecoderSamples.lossyWebP]
        case "bmp": bitmaps.map(\.data)
        case "ico": icons
        case "qoi": [qoi(channels: 3), qoi(channels: 4)]
        case "svg": [Data(svg.utf8)]
        case "tiff": [tiff]
        default: readers(format)
        }
    }

    /// Returns the seeds of a reader of metadata.
    private static func readers(_ name: String) -> [Data] {
        switch name {
        case "xmp": [Data(packet.utf8)]
        case "iptc":
            [records, Data("Photoshop 3.0\u{0}8BIM\u{4}\u{4}\u{0}\u{0}".utf8) + big(records.count, 4) + records]
        case "exif", "directories": [directories, tiff]
        case "light": [boxes]
        case "pngtext":
            (0..<12).map { Data([UInt8($0)] + "Raw profile type iptc\u{0}\niptc\n4\n1c02050001".utf8) }
        case "gainmap":
            [Data(packet.utf8), Data([0, 0, 0, 0, 0x48, 0, 0, 0, 1] + (0..<28).map { UInt8($0 % 4 == 3 ? 1 : 0) })]
        default: []
        }
    }

    private static func big(_ value: Int, _ count: Int) -> Data { Data(little(value, count).reversed()) }

    private static let packet = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" \
        xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:GainMapMax="1.5" hdrgm:HDRCapacityMax='2' \
        xmp:CreateDate="2026-11-21T19:30:00.5+01:00"><dc:subject><rdf:Bag><rdf:li>a &amp; b</rdf:li></rdf:Bag>\
        </dc:subject><dc:title><rdf:Alt><rdf:li xml:lang="x-default">t</rdf:li></rdf:Alt></dc:title>\
        <hdrgm:Gamma><rdf:Seq><rdf:li>1</rdf:li><rdf:li>1</rdf:li><rdf:li>2</rdf:li></rdf:Seq></hdrgm:Gamma>\
        </rdf:Description></rdf:RDF></x:xmpmeta>
        """

    /// A title, a keyword, a date and a time.
    private static var records: Data {
        [(5, "t"), (25, "k"), (55, "20261121"), (60, "193000+0100")].reduce(into: Data()) { all, record in
            all += Data([0x1C, 2, UInt8(record.0)]) + big(record.1.utf8.count, 2) + Data(record.1.utf8)
        }
    }

    /// A TIFF file with a directory of EXIF data and one of GPS.
    private static var directories: Data {
        func directory(_ fields: [(tag: Int, type: Int, count: Int, value: Int)]) -> [UInt8] {
            let entries = fields.flatMap {
                little($0.tag, 2) + little($0.type, 2) + little($0.count, 4) + little($0.value, 4)
            }
            return little(fields.count, 2) + entries + little(0, 4)
        }
        let main = directory([(0x0112, 3, 1, 6), (0x8769, 4, 1, 50), (0x8825, 4, 1, 92)])
        let details = directory([(0x829A, 5, 1, 122), (0xA002, 3, 1, 9), (0xA431, 2, 2, 0x31)])
        let places = directory([(1, 2, 2, 0x4E), (2, 5, 1, 122)])
        return Data([0x49, 0x49, 42, 0] + little(8, 4) + main + details + places + little(1, 4) + little(250, 4))
    }

    /// A HEIF file without an image: properties of a primary item.
    private static var boxes: Data {
        func box(_ type: String, _ content: Data) -> Data { big(content.count + 8, 4) + Data(type.utf8) + content }
        let properties = [
            box("ispe", big(0, 4) + big(4, 4) + big(3, 4)),
            box("colr", Data("nclx".utf8) + Data([0, 9, 0, 16, 0, 9, 128])),
            box("clli", big(1_000, 2) + big(400, 2)),
            box("auxC", big(0, 4) + Data("urn:com:apple:photo:2020:aux:hdrgainmap\u{0}".utf8)),
        ]
        let associations = box("ipma", big(0, 4) + big(1, 4) + big(1, 2) + Data([4, 1, 2, 3, 4]))
        let shared = box("iprp", box("ipco", properties.reduce(Data(), +)) + associations)
        let item = box("infe", big(2 << 24, 4) + big(1, 2) + big(0, 2) + Data("tmap\u{0}".utf8))
        let places = box(
            "iloc",
            big(0, 4) + Data([0x44, 0]) + big(1, 2) + big(1, 2) + big(0, 2) + big(1, 2) + big(8, 4) + big(40, 4))
        let meta = box(
            "meta",
            big(0, 4) + box("pitm", big(0, 4) + big(1, 2)) + box("iinf", big(0, 4) + big(1, 2) + item) + places + shared
        )
        return box("ftyp", Data("heic".utf8) + big(0, 4)) + meta + box("jhgm", Data([0, 0, 4, 0, 0, 0, 0]))
    }

    /// A small file with a gain map.
    private static func withMap(_ format: ImageFormat) -> [Data] {
        func waves(_ side: Int) -> Bitmap? {
            try? Bitmap(size: PixelSize(side), format: .rgb8) { pixels in
                for y in 0..<side {
                    for x in 0..<3 * side {
                        pixels.row(y).storeBytes(of: UInt8(x * y % 256), toByteOffset: x, as: UInt8.self)
                    }
                }
            }
        }
        let metadata = GainMap.Metadata(maximum: SIMD3(2, 2, 3), alternateHeadroom: 3)
        guard let image = waves(16), let map = waves(8).flatMap({ GainMap(image: $0, metadata: metadata) }) else {
            return []
        }
        let file = try? ImageEncoders.encoder(for: format)?.encode(
            image, metadata: EncodingMetadata(gainMap: map), cancellation: CancellationFlag())
        return file.map { [$0] } ?? []
    }

    private static var pngs: [Data] {
        let rows: [[UInt8]] = (0..<3).map { row in (0..<12).map { UInt8(row * 12 + $0) } }
        return [
            HandmadePNG(width: 3, height: 3, colorType: 6, rows: rows).data,
            HandmadePNG(width: 4, height: 3, colorType: 2, rows: rows).data,
            HandmadePNG(width: 12, height: 3, colorType: 0, rows: rows).data,
            HandmadePNG(width: 6, height: 3, depth: 16, colorType: 0, rows: rows).data,
            HandmadePNG(
                width: 12, height: 3, colorType: 3, rows: rows.map { $0.map { $0 % 4 } },
                before: [("PLTE", Array(0..<12)), ("tRNS", [0, 128])]
            ).data,
        ]
    }

    private static var gifs: [Data] {
        let frame = HandmadeGIF.Frame(width: 4, height: 4, indices: (0..<16).map { $0 % 4 })
        var small = HandmadeGIF.Frame(left: 1, top: 1, width: 2, height: 2, indices: [3, 2, 1, 0])
        small.transparent = 3
        small.delay = 5
        var interlaced = frame
        interlaced.isInterlaced = true
        return [
            HandmadeGIF(width: 4, height: 4, frames: [frame]).data,
            HandmadeGIF(width: 4, height: 4, frames: [interlaced]).data,
            HandmadeGIF(width: 4, height: 4, frames: [frame, small, frame], loops: 3).data,
        ]
    }

    private static var bitmaps: [HandmadeBMP] {
        let colors: [[UInt8]] = [[0, 0, 0], [9, 9, 200], [9, 200, 9], [200, 9, 9]]
        let row: [UInt8] = (0..<16).map { $0 * 15 }
        return [
            HandmadeBMP(width: 4, height: 2, bits: 32, rows: [row, row]),
            HandmadeBMP(width: 4, height: -2, bits: 24, rows: [Array(row.prefix(12)), Array(row.prefix(12))]),
            HandmadeBMP(width: 8, height: 1, bits: 16, rows: [row]),
            HandmadeBMP(width: 8, height: 1, bits: 2, colorsUsed: 4, palette: colors, rows: [[0x1B, 0xE4]]),
            HandmadeBMP(width: 8, height: 1, bits: 1, headerLength: 12, palette: colors.dropLast(2), rows: [[0x5A]]),
            HandmadeBMP(
                width: 4, height: 3, bits: 8, compression: 1, colorsUsed: 4, palette: colors,
                rows: [[4, 1, 0, 0, 0, 3, 1, 2, 3, 0, 0, 2, 1, 0, 2, 2, 0, 1]]),
            HandmadeBMP(
                width: 4, height: 2, bits: 4, compression: 2, colorsUsed: 4, palette: colors,
                rows: [[4, 0x12, 0, 0, 0, 4, 0x12, 0x30, 0, 1]]),
            HandmadeBMP(
                width: 4, height: 1, bits: 32, compression: 3, headerLength: 56,
                masks: [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000], rows: [row]),
            HandmadeBMP(
                width: 1, height: 1, bits: 24, headerLength: 124, rows: [[1, 2, 3]], colorSpace: 0x4D42_4544,
                profile: Array(DecoderSamples.swappedProfile)),
            HandmadeBMP(width: 3, height: 3, bits: 0, compression: 5, rows: [Array(pngs[0])]),
        ]
    }

    /// An icon with two entries: a bitmap with a mask, and a PNG.
    private static var icons: [Data] {
        let rows = [[UInt8]](repeating: (0..<6).map { $0 * 40 }, count: 2)
        let bitmap = HandmadeBMP(width: 2, height: 4, bits: 24, rows: rows)
        let entries = [bitmap.dib + bitmap.pixels + [0x40, 0, 0, 0, 0x80, 0, 0, 0], Array(pngs[0])]
        return [1, 2].map { type in
            var bytes = little(0, 2) + little(type, 2) + little(2, 2)
            var offset = 38
            for entry in entries {
                bytes += [UInt8](repeating: 0, count: 8) + little(entry.count, 4) + little(offset, 4)
                offset += entry.count
            }
            return Data(bytes + entries.flatMap { $0 })
        }
    }

    private static func qoi(channels: UInt8) -> Data {
        let codes: [UInt8] = [0xFF, 10, 20, 30, 40, 0xFE, 100, 110, 120, 0x72, 0xA8, 0xC3, 0xC1, 12, 0xC4]
        let header = Array("qoif".utf8) + HandmadePNG.big(4, 4) + HandmadePNG.big(3, 4) + [channels, 0]
        return Data(header + codes + [0, 0, 0, 0, 0, 0, 0, 1])
    }

    private static let svg = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10" width="20"><defs><linearGradient id="g">\
        <stop stop-color="red"/><stop offset="1" stop-color="#00f8"/></linearGradient></defs>\
        <path d="M1 1h9v4q5 5 8 0z" fill="url(#g)"/><text x="1" y="9">a</text></svg>
        """

    /// Four gray pixels in one strip (TIFF 6.0 §2, §4).
    private static var tiff: Data {
        let fields = [
            (256, 4, 2), (257, 4, 2), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (278, 4, 2), (279, 4, 4),
        ]
        var bytes: [UInt8] = [0x49, 0x49, 42, 0] + little(12, 4) + [0, 80, 160, 255] + little(fields.count, 2)
        for (tag, type, value) in fields { bytes += little(tag, 2) + little(type, 2) + little(1, 4) + little(value, 4) }
        return Data(bytes + little(0, 4))
    }
}
