import FirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials

/// Colors that a file describes, converted to sRGB. Pixels are blocks, so that a reduced image mixes none.
extension FeatureImages {
    static let colors: [GeneratedImage] = described + profiled

    /// Six colors with samples between 0 and full.
    private static let palette: [[Double]] = [
        [200, 100, 50], [30, 60, 90], [128, 128, 128], [250, 240, 10], [90, 180, 120], [0, 255, 255],
    ]

    /// Returns blocks of the colors that `change` makes of the palette's, as fractions.
    private static func blocks(_ change: ([Double]) -> [Double] = { $0 }) -> [UInt8] {
        GeneratedPixels.indices.flatMap { index in
            change(palette[Int(index)].map { $0 / 255 }).map { UInt8((min(max($0, 0), 1) * 255).rounded()) } + [255]
        }
    }

    private static let brightness = blocks { [$0[0], $0[0], $0[0]] }

    private static func color(
        _ name: String, _ format: ImageFormat, _ data: Data, _ pixels: [UInt8], tolerance: Double = 1
    ) -> GeneratedImage {
        still(name, format, data, pixels, tolerance: tolerance).expecting { $0.appliesColorProfile = true }
    }

    /// Returns a PNG of the blocks; the gray one has the red samples.
    private static func png(_ chunks: [(String, [UInt8])], gray: Bool = false) -> Data {
        let samples = gray ? stride(from: 0, to: brightness.count, by: 4).map { brightness[$0] } : blocks()
        var png = HandmadePNG(
            width: GeneratedPixels.size.width, height: GeneratedPixels.size.height, colorType: gray ? 0 : 6,
            rows: rows(samples))
        png.before = chunks
        return png.data
    }

    // MARK: Numbers and code points

    /// From light to the curve of sRGB (IEC 61966-2-1).
    private static func encode(_ light: Double) -> Double {
        light <= 0.003_130_8 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    private static func decode(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// From Display P3; the matrix follows from the primaries of both.
    private static func fromP3(_ color: [Double]) -> [Double] {
        let light = color.map(decode)
        let matrix = [[1.2249, -0.2247, 0], [-0.0420, 1.0419, 0], [-0.0197, -0.0786, 1.0979]]
        return matrix.map { row in encode(max(0, zip(row, light).reduce(0) { $0 + $1.0 * $1.1 })) }
    }

    private static let described: [GeneratedImage] = {
        let linear = ("gAMA", HandmadePNG.big(100_000, 4))
        let common = ("gAMA", HandmadePNG.big(45_455, 4))
        // The white of sRGB, and its primaries in the order green, blue, red.
        let turned = (
            "cHRM", [31_270, 32_900, 30_000, 60_000, 15_000, 6_000, 64_000, 33_000].flatMap { HandmadePNG.big($0, 4) }
        )
        let p3: (String, [UInt8]) = ("cICP", [12, 13, 0, 1])
        let lights = blocks { $0.map(encode) }
        return [
            color("png-gamma", .png, png([linear]), lights),
            color(
                "png-gamma-gray", .png, png([linear], gray: true),
                blocks { [encode($0[0]), encode($0[0]), encode($0[0])] }),
            color("png-gamma-of-srgb", .png, png([common]), blocks(), tolerance: 0),
            color("png-primaries", .png, png([common, turned]), blocks { [$0[2], $0[0], $0[1]] }),
            color("png-srgb-over-gamma", .png, png([linear, ("sRGB", [0])]), blocks(), tolerance: 0),
            color("png-code-points", .png, png([linear, p3]), blocks(fromP3)),
        ]
    }()

    // MARK: Profiles

    /// The profile has a gamma of 1.4, and its red is the blue of sRGB, its green the red, its blue the green.
    private static func fromProfile(_ color: [Double]) -> [Double] {
        [color[1], color[2], color[0]].map { encode(pow($0, 1.4)) }
    }

    /// The table gives the green sample as lightness, without color.
    private static func fromTable(_ color: [Double]) -> [Double] {
        let lightness = color[1] * 100
        let light = lightness > 8 ? pow((lightness + 16) / 116, 3) : lightness / 903.296_3
        return [encode(light), encode(light), encode(light)]
    }

    private static let profiled: [GeneratedImage] = {
        func chunk(_ profile: Data) -> (String, [UInt8]) {
            ("iCCP", [65, 0, 0] + HandmadePNG.stored([UInt8](profile)))
        }
        let grays = blocks { [Double](repeating: encode($0[0]), count: 3) }
        var files: [GeneratedImage] = [
            color("png-profile-matrix", .png, png([chunk(GeneratedProfile.rgb)]), blocks(fromProfile)),
            color("png-profile-table", .png, png([chunk(GeneratedProfile.table)]), blocks(fromTable), tolerance: 2),
            color("png-profile-gray", .png, png([chunk(GeneratedProfile.gray)], gray: true), grays),
        ]
        let encoders: [(ImageFormat, any ImageEncoding, Double)] = [
            (.jpeg, JPEGEncoder(quality: 0.98, chroma: .full), 2.5), (.webp, WebPEncoder(lossless: true), 1),
            (.tiff, TIFFEncoder(), 1), (.jxl, JXLEncoder(lossless: true), 1), (.avif, AVIFEncoder(lossless: true), 1),
        ]
        for (format, encoder, tolerance) in encoders {
            // Formats that this build leaves out cannot be encoded.
            guard let plain = try? GeneratedPixels.bitmap(blocks()),
                let data = try? encoder.encode(plain.assigningColorProfile(ColorProfile(icc: GeneratedProfile.rgb)))
            else { continue }
            files.append(
                color("\(format.rawValue)-profile-matrix", format, data, blocks(fromProfile), tolerance: tolerance))
        }
        var bmp = HandmadeBMP(
            width: GeneratedPixels.size.width, height: -GeneratedPixels.size.height, bits: 24, headerLength: 124,
            rows: rows(blocks()).map { (row: [UInt8]) -> [UInt8] in
                stride(from: 0, to: row.count, by: 4).flatMap { at -> [UInt8] in [row[at + 2], row[at + 1], row[at]] }
            })
        bmp.profile = [UInt8](GeneratedProfile.rgb)
        bmp.colorSpace = 0x4D42_4544
        return files + [color("bmp-profile-matrix", .bmp, bmp.data, blocks(fromProfile))]
    }()
}
