import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct PNGMetadataTests {
    private func properties(_ chunks: [(String, [UInt8])], behind: [(String, [UInt8])] = []) throws -> ImageProperties {
        var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [[1, 2, 3]])
        png.before = chunks
        png.behind = behind
        return try #require(try session(png.data).properties())
    }

    private let profile: (String, [UInt8]) = (
        "iCCP", Array("x\0\0".utf8) + HandmadePNG.stored(Array(DecoderSamples.swappedProfile))
    )
    private let gamma: (String, [UInt8]) = ("gAMA", HandmadePNG.big(45_455, 4))
    private let chromaticities: (String, [UInt8]) = (
        "cHRM", [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000].flatMap { HandmadePNG.big($0, 4) }
    )

    @Test func `code points come before a profile, a profile before sRGB, sRGB before numbers`() throws {
        let codes: (String, [UInt8]) = ("cICP", [12, 13, 0, 1])
        let standard: (String, [UInt8]) = ("sRGB", [0])
        var found = try properties([gamma, chromaticities, standard, profile, codes])
        #expect(found.colorProfile == nil)
        #expect(found.colorDescription?.primariesCode == 12 && found.colorDescription?.transferCode == 13)
        #expect(found.colorDescription?.gamma == nil)
        found = try properties([gamma, chromaticities, standard, profile])
        #expect(found.colorProfile != nil && found.colorDescription == nil)
        found = try properties([gamma, chromaticities, standard])
        #expect(found.colorProfile == nil && found.colorDescription == nil)
        found = try properties([gamma, chromaticities])
        #expect(found.colorDescription?.gamma == 0.45455)
        #expect(found.colorDescription?.primaries?.red == .init(x: 0.64, y: 0.33))
    }

    @Test func `code points of another matrix or range are ignored`() throws {
        for codes: [UInt8] in [[1, 13, 1, 1], [1, 13, 0, 0], [2, 2, 0, 1], [1, 13, 0]] {
            #expect(try properties([("cICP", codes), profile]).colorProfile != nil, "\(codes)")
        }
    }

    @Test func `color information after the pixels is ignored`() throws {
        #expect(try properties([], behind: [gamma, profile]).colorProfile == nil)
    }

    @Test func `a damaged profile is ignored`() throws {
        var wrong = profile.1
        wrong.removeLast(9)
        #expect(try properties([("iCCP", wrong)]).colorProfile == nil)
        #expect(try properties([("iCCP", [])]).colorProfile == nil)
    }

    @Test func `a profile that unpacks to more than allowed is ignored`() throws {
        var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [[1, 2, 3]])
        png.before = [profile]
        var limits = ImageLimits()
        limits.maximumProfileBytes = 500
        #expect(try session(png.data, limits: limits).properties()?.colorProfile == nil)
    }

    @Test func `pixels per metre become pixels per inch, a mere shape does not`() throws {
        let density = HandmadePNG.big(11_811, 4) + HandmadePNG.big(5_906, 4)
        let found = try properties([("pHYs", density + [1])]).resolution
        #expect(abs((found?.horizontal ?? 0) - 300) < 0.01 && abs((found?.vertical ?? 0) - 150) < 0.02)
        #expect(try properties([("pHYs", density + [0])]).resolution == nil)
    }

    @Test func `EXIF and XMP are found compressed and uncompressed`() throws {
        var exif: [UInt8] = Array("II*\0".utf8)
        exif += [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]
        let hex = exif.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let text = Array("\nexif\n      26\n\(hex)\n".utf8)
        let packet = Array("<x:xmpmeta/>".utf8)
        let name = Array("XML:com.adobe.xmp\0".utf8)
        let found = try properties([
            ("zTXt", Array("Raw profile type exif\0\0".utf8) + HandmadePNG.stored(text)),
            ("iTXt", name + [1, 0, 0, 0] + HandmadePNG.stored(packet)),
        ])
        #expect(found.exif.map { [UInt8]($0) } == exif)
        #expect(found.orientation == .down)
        #expect(found.xmp.map { [UInt8]($0) } == packet)
        #expect(try properties([("iTXt", name + [0, 0, 0, 0] + packet)]).xmp.map { [UInt8]($0) } == packet)
        #expect(try properties([("eXIf", exif)]).exif.map { [UInt8]($0) } == exif)
    }

    @Test func `an orientation after the pixels rotates an image whose decode has started`() throws {
        var exif: [UInt8] = Array("MM\0*".utf8)
        exif += [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
        var png = HandmadePNG(width: 3, height: 1, colorType: 0, rows: [[10, 20, 30]])
        png.behind = [("eXIf", exif)]
        let session = try openSession(png.data)
        try session.append(png.data.dropLast(30))
        #expect(try session.advance(DecodingOptions()))
        try session.append(png.data.suffix(30))
        session.finish()
        #expect(try session.decode(DecodingOptions()).size == PixelSize(width: 1, height: 3))
    }

    @Test func `chunks that are needed and not known are refused`() throws {
        var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [[1, 2, 3]])
        png.before = [("CgBI", [0, 0, 0, 0])]
        #expect(decodingError { _ = try session(png.data).properties() }?.fault == .unsupported)
        png.before = [("cgBI", [0, 0, 0, 0])]
        #expect(try session(png.data).properties() != nil)
    }

    @Test func `headers that PNG does not know are refused`() throws {
        for (depth, type) in [(3, 0), (4, 2), (16, 3), (8, 1), (8, 5), (0, 6)] {
            var png = HandmadePNG(width: 1, height: 1, colorType: type, rows: [[1, 2, 3, 4]])
            png.depth = depth
            #expect(decodingError { _ = try session(png.data).properties() }?.fault == .data, "\(depth) \(type)")
        }
    }
}
