import FirnImage
import FoundationEssentials

/// BMP and ICO.
extension FeatureImages {
    static let bitmaps: [GeneratedImage] = palettes + masks + runs

    private static let blocks = GeneratedPixels.blocks()
    private static let blueFirst = GeneratedPixels.palette.map { [$0[2], $0[1], $0[0]] }
    /// The rows of indices from the bottom, as files store them.
    private static let indices = Array(rows(GeneratedPixels.indices).reversed())

    private static func file(_ bits: Int, _ rows: [[UInt8]]) -> HandmadeBMP {
        HandmadeBMP(width: GeneratedPixels.size.width, height: GeneratedPixels.size.height, bits: bits, rows: rows)
    }

    private static func bmp(
        _ name: String, _ file: HandmadeBMP, _ pixels: [UInt8], _ change: (inout HandmadeBMP) -> Void = { _ in }
    ) -> GeneratedImage {
        var file = file
        change(&file)
        return still("bmp-\(name)", .bmp, file.data, pixels)
    }

    private static let palettes: [GeneratedImage] = {
        let two = GeneratedPixels.indices.flatMap { index -> [UInt8] in GeneratedPixels.palette[Int(index) % 2] + [255]
        }
        let packed = { (depth: Int) -> [[UInt8]] in
            indices.map { HandmadePNG.packed($0.map { Int($0) % (1 << depth) }, depth: depth) }
        }
        var files = [1, 4, 8].map { bits in
            bmp("palette-\(bits)", file(bits, packed(bits)), bits == 1 ? two : blocks) {
                $0.palette = Array(blueFirst.prefix(1 << bits))
                $0.colorsUsed = $0.palette.count
            }
        }
        files.append(
            bmp("os2-palette-4", file(4, packed(4)), blocks) {
                $0.headerLength = 12
                $0.palette = blueFirst + [[UInt8]](repeating: [0, 0, 0], count: 10)
            })
        files.append(
            bmp("top-down-8", file(8, packed(8).reversed()), blocks) {
                $0.height = -GeneratedPixels.size.height
                $0.palette = blueFirst
                $0.colorsUsed = 6
            })
        return files
    }()

    /// Colors in bit fields: of the blocks, because their samples are full or 0 in any number of bits.
    private static let masks: [GeneratedImage] = {
        let layouts: [(String, Int, Int, [UInt32])] = [
            ("555", 16, 40, []), ("565", 16, 40, [0xF800, 0x7E0, 0x1F]), ("444-v3", 16, 56, [0xF00, 0xF0, 0xF, 0]),
            ("1555-v5", 16, 124, [0x7C00, 0x3E0, 0x1F, 0x8000]), ("888", 32, 40, []),
            ("10-10-10", 32, 40, [0x3FF0_0000, 0xFFC00, 0x3FF]),
            ("abgr-v5", 32, 124, [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000]),
            ("argb-v4", 32, 108, [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]),
        ]
        return layouts.map { name, bits, header, masks in
            let hasAlpha = masks.count == 4 && masks[3] != 0
            let used = masks.isEmpty ? (bits == 16 ? [0x7C00, 0x3E0, 0x1F] : [0xFF_0000, 0xFF00, 0xFF]) : masks
            let rows = indices.map { row in
                row.flatMap { index -> [UInt8] in
                    let isClear = hasAlpha && index == 5
                    let color = GeneratedPixels.palette[Int(index)] + [isClear ? 0 : 255]
                    let value = zip(used, color).reduce(0) { $1.1 == 255 ? $0 | $1.0 : $0 }
                    return little(Int(isClear ? 0 : value), bits / 8)
                }
            }
            return bmp(name, file(bits, rows), hasAlpha ? GeneratedPixels.blocks(transparent: true) : blocks) {
                $0.compression = masks.isEmpty ? 0 : 3
                $0.headerLength = header
                $0.masks = masks
            }
        }
    }()

    /// Run-length codes: runs, literal values, skipped pixels, the ends of rows and of the image.
    private static let runs: [GeneratedImage] = {
        // Every second row is literal. Black, index 4, is the first entry of these palettes, so that it may be skipped.
        let order: [UInt8] = [1, 2, 3, 4, 0, 5]
        let palette = [4, 0, 1, 2, 3, 5].map { blueFirst[$0] }
        let bytes = indices.enumerated().flatMap { number, row -> [UInt8] in
            let values = row.map { order[Int($0)] }
            if number % 2 == 1 { return [0, 24] + values + [0, 0] }
            return [0, 8, 16].flatMap { at -> [UInt8] in values[at] == 0 ? [0, 2, 8, 0] : [8, values[at]] } + [0, 0]
        }
        let halves = indices.enumerated().flatMap { number, row -> [UInt8] in
            let values = row.map { order[Int($0)] }
            let pairs = stride(from: 0, to: 24, by: 2).map { values[$0] << 4 | values[$0 + 1] }
            if number % 2 == 1 { return [0, 24] + pairs + [0, 0] }
            return [0, 8, 16].flatMap { at -> [UInt8] in [8, values[at] << 4 | values[at]] } + [0, 0]
        }
        let colors = indices.flatMap { row -> [UInt8] in
            [0, 8, 16].flatMap { at -> [UInt8] in [8] + blueFirst[Int(row[at])] } + [0, 0]
        }
        let files: [(String, Int, Int, Int, [UInt8])] = [
            ("rle8", 8, 1, 40, bytes), ("rle4", 4, 2, 40, halves), ("os2-rle24", 24, 4, 64, colors),
        ]
        return files.map { name, bits, compression, header, codes in
            bmp(name, file(bits, [codes + [0, 1]]), blocks) {
                $0.compression = compression
                $0.headerLength = header
                $0.palette = bits == 24 ? [] : palette
                $0.colorsUsed = $0.palette.count
            }
        }
    }()

    // MARK: ICO

    /// An icon whose mask hides the last block, one of 4 bits, a PNG in an icon, and a cursor.
    static let icons: [GeneratedImage] = {
        let transparent = GeneratedPixels.blocks(transparent: true)
        let mask = indices.flatMap { row -> [UInt8] in HandmadePNG.packed(row.map { $0 == 5 ? 1 : 0 }, depth: 1) + [0] }
        var deep = file(24, indices.map { row -> [UInt8] in row.flatMap { blueFirst[Int($0)] } })
        var shallow = file(4, indices.map { HandmadePNG.packed($0.map { Int($0) }, depth: 4) })
        shallow.palette = blueFirst + [[UInt8]](repeating: [0, 0, 0], count: 10)
        // The height of an icon's bitmap counts the mask as well.
        (deep.height, shallow.height) = (2 * deep.height, 2 * shallow.height)
        let png = HandmadePNG(
            width: GeneratedPixels.size.width, height: GeneratedPixels.size.height, colorType: 6,
            rows: rows(transparent))
        return [
            icon("mask-24", deep.dib + deep.pixels + mask, bits: 24, transparent),
            icon("mask-4", shallow.dib + shallow.pixels + mask, bits: 4, transparent),
            icon("png", [UInt8](png.data), bits: 32, transparent),
            icon("cursor", deep.dib + deep.pixels + mask, bits: 24, kind: 2, transparent),
        ]
    }()

    private static func icon(
        _ name: String, _ entry: [UInt8], bits: Int, kind: Int = 1, _ pixels: [UInt8]
    ) -> GeneratedImage {
        let size: [UInt8] = [UInt8(GeneratedPixels.size.width), UInt8(GeneratedPixels.size.height), 0, 0]
        let head = little(0, 2) + little(kind, 2) + little(1, 2) + size + little(1, 2) + little(bits, 2)
        return still("ico-\(name)", .ico, Data(head + little(entry.count, 4) + little(22, 4) + entry), pixels)
    }
}
