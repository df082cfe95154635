import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct PNGDecoderTests {
    private let translucent = HandmadePNG(
        width: 2, height: 1, colorType: 6, rows: [[200, 100, 50, 128, 9, 8, 7, 255]])

    @Test func `straight pixels are returned as stored`() throws {
        #expect(try packed(session(translucent.data).decode(straight())) == [200, 100, 50, 128, 9, 8, 7, 255])
    }

    @Test func `the screen's pixels are multiplied by alpha, rounded to nearest`() throws {
        let bitmap = try session(translucent.data).decode(DecodingOptions())
        #expect(packed(bitmap) == [25, 50, 100, 128, 7, 8, 9, 255])
        #expect(!bitmap.isOpaque)
    }

    @Test func `an image with full alpha everywhere is opaque`() throws {
        let png = HandmadePNG(width: 1, height: 2, colorType: 6, rows: [[1, 2, 3, 255], [4, 5, 6, 255]])
        let session = try session(png.data)
        #expect(try session.properties()?.hasAlpha == true)
        #expect(try session.decode(DecodingOptions()).isOpaque)
    }

    @Test func `samples of 16 bits are cut to their high byte`() throws {
        let png = HandmadePNG(width: 1, height: 1, depth: 16, colorType: 2, rows: [[1, 255, 2, 255, 3, 255]])
        #expect(try packed(session(png.data).decode(straight())) == [1, 2, 3, 255])
    }

    @Test func `transparency before its palette is used`() throws {
        var png = HandmadePNG(width: 2, height: 1, colorType: 3, rows: [[0, 1]])
        png.before = [("tRNS", [0, 77]), ("PLTE", [10, 20, 30, 40, 50, 60])]
        #expect(try packed(session(png.data).decode(straight())) == [10, 20, 30, 0, 40, 50, 60, 77])
    }

    @Test func `a palette that a color image merely suggests is left alone`() throws {
        var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [[1, 2, 3]])
        png.before = [("tRNS", [0, 1, 0, 2, 0, 3]), ("PLTE", [9, 9, 9])]
        #expect(try packed(session(png.data).decode(straight())) == [1, 2, 3, 0])
    }

    @Test func `orientation is found behind the pixels, in EXIF, XMP and text`() throws {
        var exif: [UInt8] = Array("MM\0*".utf8)
        exif += [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
        let hex = exif.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let xmp = "XML:com.adobe.xmp\0\0\0\0\0<x tiff:Orientation=\"6\"/>"
        let texts: [(String, [UInt8])] = [
            ("eXIf", exif), ("iTXt", Array(xmp.utf8)),
            ("tEXt", Array("Raw profile type exif\0\nexif\n      26\n\(hex)\n".utf8)),
        ]
        for chunk in texts {
            var png = HandmadePNG(width: 3, height: 1, colorType: 0, rows: [[10, 20, 30]])
            png.behind = [chunk]
            let session = try session(png.data)
            #expect(try session.properties()?.orientation == .right, "\(chunk.0)")
            #expect(try session.properties()?.displaySize == PixelSize(width: 1, height: 3))
            #expect(try session.decode(DecodingOptions()).size == PixelSize(width: 1, height: 3))
        }
    }

    @Test func `a wrong checksum matters only in chunks that make pixels`() throws {
        var png = translucent
        png.before = [("tIME", [0, 1, 1, 1, 1, 1, 1])]
        png.damaged = "tIME"
        #expect(throws: Never.self) { try session(png.data).decode(straight()) }
        for type in ["IHDR", "IDAT"] {
            png.damaged = type
            let rows = HandmadePNG(
                width: 2, height: 2, colorType: 6, rows: [[UInt8](repeating: 1, count: 8)], before: [], behind: [],
                damaged: type)
            #expect(decodingError { _ = try session(rows.data).decode(straight()) }?.fault == .data, "\(type)")
        }
    }

    @Test func `a truncated image is an error that states the row`() throws {
        let rows = [[UInt8]](repeating: [UInt8](repeating: 3, count: 200), count: 100)
        let png = HandmadePNG(width: 200, height: 100, colorType: 0, rows: rows).data
        let error = decodingError { _ = try session(png.prefix(10_000)).decode(straight()) }
        #expect(error?.fault == .data)
        #expect(error?.message.hasPrefix("cut short after row ") == true)
        #expect(error?.message.hasSuffix(" of 100") == true)
    }

    @Test func `a declared size above the limit is refused before its pixels are read`() throws {
        let png = HandmadePNG(width: 100_000, height: 100_000, colorType: 6, rows: [])
        let error = decodingError { _ = try session(png.data).properties() }
        #expect(error?.fault == .limit)
        #expect(error?.message == "declares 100000x100000 pixels; 268435456 are allowed")
        #expect(error?.setting == "ImageLimits.maximumPixels")
    }

    @Test func `an animated PNG reports frames, durations and repetitions`() throws {
        func control(_ number: Int, delay: Int, per: Int) -> (String, [UInt8]) {
            var content = [number, 1, 1, 0, 0].flatMap { HandmadePNG.big($0, 4) }
            content += HandmadePNG.big(delay, 2)
            content += HandmadePNG.big(per, 2)
            return ("fcTL", content + [0, 0])
        }
        var png = HandmadePNG(width: 1, height: 1, colorType: 0, rows: [[5]])
        png.before = [("acTL", HandmadePNG.big(2, 4) + HandmadePNG.big(3, 4)), control(0, delay: 1, per: 4)]
        png.behind = [control(1, delay: 7, per: 0)]
        let properties = try #require(try session(png.data).properties())
        #expect(properties.format == .apng)
        #expect(properties.frameCount == 2)
        #expect(properties.frameDurations == [250, 70].map { .milliseconds($0) })
        #expect(properties.loopCount == 3)
    }

    @Test func `a profile is applied once, on straight colors (F17)`() throws {
        var png = HandmadePNG(width: 1, height: 1, colorType: 6, rows: [[255, 0, 0, 128]])
        png.before = [("iCCP", Array("x\0\0".utf8) + HandmadePNG.stored(Array(DecoderSamples.swappedProfile)))]
        let session = try session(png.data)
        let pixel = try packed(session.decode(straight(profile: true)))
        #expect(pixel[0] < 8 && pixel[1] > 247 && pixel[2] < 8, "\(pixel)")
        #expect(pixel[3] == 128)
        #expect(try packed(session.decode(straight())) == [255, 0, 0, 128])
        let screen = try packed(session.decode(DecodingOptions()))
        #expect(abs(Int(screen[1]) - 128) <= 4 && screen[2] < 8 && screen[3] == 128, "\(screen)")
    }

    @Test func `a format without alpha is refused for an image that has it`() throws {
        var options = DecodingOptions()
        options.pixelFormat = .rgb8
        #expect(decodingError { _ = try session(translucent.data).decode(options) }?.fault == .unsupported)
        let opaque = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [[1, 2, 3]])
        #expect(try packed(session(opaque.data).decode(options)) == [1, 2, 3])
    }
}
