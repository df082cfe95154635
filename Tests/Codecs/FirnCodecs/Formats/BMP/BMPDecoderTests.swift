import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct BMPDecoderTests {
    private static let red: [UInt8] = [255, 0, 0, 255]
    private static let green: [UInt8] = [0, 255, 0, 255]
    private static let blue: [UInt8] = [0, 0, 255, 255]
    private static let white: [UInt8] = [255, 255, 255, 255]
    private static let black: [UInt8] = [0, 0, 0, 255]
    private static let colors: [[UInt8]] = [[0, 0, 0], [0, 0, 255], [0, 255, 0], [255, 0, 0]]

    private func pixels(_ file: HandmadeBMP) throws -> [UInt8] { try packed(session(file.data).decode(straight())) }

    @Test func `rows are stored from the bottom, blue first`() throws {
        let file = HandmadeBMP(
            width: 2, height: 2, bits: 24, rows: [[255, 0, 0, 0, 255, 0], [0, 0, 255, 255, 255, 255]])
        #expect(try pixels(file) == Self.red + Self.white + Self.blue + Self.green)
    }

    @Test func `a negative height stores rows from the top`() throws {
        let file = HandmadeBMP(width: 1, height: -2, bits: 24, rows: [[255, 0, 0], [0, 0, 255]])
        #expect(try pixels(file) == Self.blue + Self.red)
    }

    @Test(arguments: [1, 2, 4, 8])
    func `pixels are numbers of palette entries, the first in the highest bits`(bits: Int) throws {
        let numbers = bits == 1 ? [0, 1, 1, 0, 1] : [3, 1, 2, 0, 1]
        var row = [UInt8](repeating: 0, count: (5 * bits + 7) / 8)
        for (x, number) in numbers.enumerated() {
            row[x * bits / 8] |= UInt8(number << (8 - bits - x * bits % 8))
        }
        let file = HandmadeBMP(
            width: 5, height: 1, bits: bits, colorsUsed: bits == 1 ? 2 : 4,
            palette: bits == 1 ? Array(Self.colors.prefix(2)) : Self.colors, rows: [row])
        let meant = [Self.black, Self.red, Self.green, Self.blue]
        #expect(try pixels(file) == numbers.flatMap { meant[$0] })
        #expect(try session(file.data).properties()?.colorSpace == "indexed")
    }

    @Test func `the oldest header has sides of two bytes and palette entries of three`() throws {
        let file = HandmadeBMP(
            width: 2, height: 1, bits: 1, headerLength: 12, palette: Array(Self.colors.prefix(2)), rows: [[0b0100_0000]]
        )
        #expect(try pixels(file) == Self.black + Self.red)
    }

    @Test func `a pixel whose number is not in the palette is black`() throws {
        let file = HandmadeBMP(
            width: 2, height: 1, bits: 8, colorsUsed: 2, palette: Array(Self.colors.prefix(2)), rows: [[200, 1]])
        #expect(try pixels(file) == Self.black + Self.red)
    }

    @Test func `a palette that reaches into the pixels has their bytes as its last colors`() throws {
        let file = HandmadeBMP(
            width: 8, height: 1, bits: 4, palette: Array(Self.colors.prefix(2)), rows: [[0x21, 0x10, 0x20, 0xFF]])
        #expect(try pixels(file).prefix(12) == [0x20, 0x10, 0x21, 255] + Self.red + Self.red)
        for step in [1, 60] {
            #expect(try packed(session(file.data, inPiecesOf: step).decode(straight())) == pixels(file))
        }
    }

    @Test func `16 bits are 5 bits a color, scaled to the full range`() throws {
        let file = HandmadeBMP(width: 3, height: 1, bits: 16, rows: [[0x00, 0x7C, 0x1F, 0x80, 0x10, 0x42]])
        #expect(try pixels(file) == Self.red + Self.blue + [132, 132, 132, 255])
    }

    @Test func `masks select the bits of colors`() throws {
        let file = HandmadeBMP(
            width: 2, height: 1, bits: 16, compression: 3, masks: [0xF800, 0x7E0, 0x1F],
            rows: [[0xE0, 0x07, 0x00, 0xF8]])
        #expect(try pixels(file) == Self.green + Self.red)
        let wide = HandmadeBMP(
            width: 1, height: 1, bits: 32, compression: 3, masks: [0x3FF0_0000, 0xFFC00, 0x3FF],
            rows: [[0xFF, 3, 8, 0]])
        #expect(try pixels(wide) == [0, 128, 255, 255])
    }

    @Test func `32 bits without an alpha mask are opaque`() throws {
        let file = HandmadeBMP(width: 1, height: 1, bits: 32, rows: [[1, 2, 3, 77]])
        #expect(try pixels(file) == [3, 2, 1, 255])
        #expect(try session(file.data).properties()?.hasAlpha == false)
    }

    @Test func `alpha is used if there is an alpha mask and some pixel is not 0`() throws {
        let masks: [UInt32] = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]
        var file = HandmadeBMP(
            width: 2, height: 1, bits: 32, compression: 3, headerLength: 56, masks: masks,
            rows: [[1, 2, 3, 0, 4, 5, 6, 128]])
        #expect(try pixels(file) == [3, 2, 1, 0, 6, 5, 4, 128])
        file.rows = [[1, 2, 3, 0, 4, 5, 6, 0]]
        #expect(try pixels(file) == [3, 2, 1, 255, 6, 5, 4, 255])
    }

    @Test func `the other layouts have the same colors`() throws {
        let file = HandmadeBMP(width: 3, height: 1, bits: 24, rows: [[1, 2, 3, 4, 5, 6, 7, 8, 9]])
        #expect(try packed(session(file.data).decode(DecodingOptions())) == [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255])
        var options = straight()
        options.pixelFormat = .rgb8
        #expect(try packed(session(file.data).decode(options)) == [3, 2, 1, 6, 5, 4, 9, 8, 7])
    }

    @Test func `pixels follow the header if the stated offset is inside it`() throws {
        let file = HandmadeBMP(width: 1, height: 1, bits: 24, rows: [[1, 2, 3]], statedOffset: 0)
        #expect(try pixels(file) == [3, 2, 1, 255])
    }

    @Test func `the padding of the last row may be missing`() throws {
        let file = HandmadeBMP(width: 1, height: 2, bits: 24, rows: [[1, 2, 3], [4, 5, 6]], padsLast: false)
        #expect(try pixels(file) == [6, 5, 4, 255, 3, 2, 1, 255])
    }

    @Test func `pixels per metre become pixels per inch`() throws {
        let file = HandmadeBMP(width: 1, height: 1, bits: 24, rows: [[1, 2, 3]])
        let resolution = try #require(try session(file.data).properties()?.resolution)
        #expect(abs(resolution.horizontal - 72) < 0.1 && abs(resolution.vertical - 144) < 0.1)
    }

    @Test func `a profile behind the pixels is found, and waited for`() throws {
        let file = HandmadeBMP(
            width: 1, height: 1, bits: 24, headerLength: 124, rows: [[1, 2, 3]], colorSpace: 0x4D42_4544,
            profile: Array(DecoderSamples.swappedProfile))
        #expect(try session(file.data).properties()?.colorProfile?.icc == DecoderSamples.swappedProfile)
        let open = try openSession(file.data)
        try open.append(file.data.dropLast())
        #expect(try open.properties() == nil)
    }

    @Test func `calibrated colors are described by numbers`() throws {
        func fixed(_ value: Double) -> UInt32 { UInt32(value * 0x1p30) }
        let ends = [0.64, 0.33, 0.03, 0.3, 0.6, 0.1, 0.15, 0.06, 0.79].map(fixed)
        let file = HandmadeBMP(
            width: 1, height: 1, bits: 24, headerLength: 108, rows: [[1, 2, 3]], colorSpace: 0,
            calibration: ends + [UInt32](repeating: 2 << 16, count: 3))
        let color = try #require(try session(file.data).properties()?.colorDescription)
        #expect(color.gamma == 0.5)
        let primaries = try #require(color.primaries)
        #expect(abs(primaries.red.x - 0.64) < 1e-6 && abs(primaries.white.x - 0.3127) < 1e-6)
    }

    @Test func `a PNG in a bitmap is decoded as a PNG`() throws {
        let png = HandmadePNG(width: 1, height: 1, colorType: 6, rows: [[9, 8, 7, 6]]).data
        let file = HandmadeBMP(width: 1, height: 1, bits: 0, compression: 5, rows: [Array(png)])
        #expect(try pixels(file) == [9, 8, 7, 6])
        #expect(try session(file.data).properties()?.format == .bmp)
    }

    @Test func `a JPEG in a bitmap is decoded as a JPEG`() throws {
        let jpeg = DecoderSamples.progressiveJPEG
        let file = HandmadeBMP(width: 40, height: 24, bits: 0, compression: 4, rows: [Array(jpeg)])
        #expect(try packed(session(file.data).decode(straight())) == packed(session(jpeg).decode(straight())))
    }
}
