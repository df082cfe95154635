#if SVG
import CFirnZlib
import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests the forms in which the text of a drawing is stored.
@Suite struct SVGTextTests {
    private static let drawing =
        "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='3'>"
        + "<rect width='4' height='3' fill='#00f'/></svg>"

    private func colors(_ data: Data, limits: ImageLimits = ImageLimits()) throws -> [UInt8] {
        let session = try session(data, limits: limits)
        let image = try session.decode(straight())
        #expect(image.size == PixelSize(width: 4, height: 3))
        return Array(packed(image)[..<4])
    }

    @Test(arguments: [
        "<!--\(String(repeating: "x-", count: 5_000)) -->",
        "<?xml version='1.0'?>\n<?note \(String(repeating: "y", count: 9_000))?>",
        "<!DOCTYPE svg [\((0..<200).map { "<!ENTITY e\($0) \"http://example.org/\($0)/]&gt;\">\n" }.joined())]>",
        String(repeating: "<!-- short -->\n", count: 2_000),
    ])
    func `a prolog of any length is passed over`(prolog: String) throws {
        #expect(try colors(Data((prolog + SVGTextTests.drawing).utf8)) == [0, 0, 255, 255])
        let head = Data((prolog + SVGTextTests.drawing).utf8.prefix(ImageFormat.sniffLength))
        #expect(ImageFormat(head) == .svg)
    }

    @Test(arguments: [false, true])
    func `UTF-16 is read`(isBig: Bool) throws {
        for start in ["", "\u{FEFF}", "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?>", "\n"] {
            let data = Data(
                (start + SVGTextTests.drawing).utf16.flatMap { unit in
                    isBig ? [UInt8(unit >> 8), UInt8(unit & 255)] : [UInt8(unit & 255), UInt8(unit >> 8)]
                })
            #expect(try colors(data) == [0, 0, 255, 255], "\(start)")
        }
    }

    @Test(arguments: [0, 1, 6, 9])
    func `svgz is read, at every level of compression`(level: Int32) throws {
        let text = Data(("<!--\(SVGTextTests.noise(20_000))-->" + SVGTextTests.drawing).utf8)
        let file = try SVGTextTests.gzip(text, level: level)
        #expect(ImageFormat(file.prefix(ImageFormat.sniffLength)) == .svg)
        #expect(try colors(file) == [0, 0, 255, 255])
        // Two members, and something behind them.
        let parts = try SVGTextTests.gzip(text.prefix(9_000)) + SVGTextTests.gzip(text.dropFirst(9_000))
        #expect(try colors(parts + Data("behind".utf8)) == [0, 0, 255, 255])
    }

    @Test func `svgz that is cut, damaged or too long is refused`() throws {
        let text = Data((SVGTextTests.drawing + "<!--\(SVGTextTests.noise(30_000))-->").utf8)
        let file = try SVGTextTests.gzip(text)
        let cut = try session(file.prefix(file.count / 2))
        #expect(decodingError { _ = try cut.properties() }?.fault == .data)
        var wrong = file
        wrong[wrong.count / 2] ^= 0x55
        let damaged = try session(wrong)
        #expect(decodingError { _ = try damaged.properties() }?.fault == .data)
        let spaces = Data((SVGTextTests.drawing + String(repeating: "<!-- -->", count: 17 << 17)).utf8)
        let bomb = try SVGTextTests.gzip(spaces, level: 9)
        let large = try session(bomb)
        let error = try #require(decodingError { _ = try large.properties() })
        #expect(error.fault == .limit && error.setting == "ImageLimits.maximumExpansion", "\(error)")
        #expect(error.message.hasSuffix("bytes; no more are allowed"))
        var limits = ImageLimits()
        limits.maximumExpansion = 2_000
        #expect(try colors(bomb, limits: limits) == [0, 0, 255, 255])
        limits.maximumBytes = 1 << 20
        let long = try session(bomb, limits: limits)
        #expect(decodingError { _ = try long.properties() }?.setting == "ImageLimits.maximumBytes")
    }

    @Test func `other gzip files are not taken for drawings`() throws {
        for text in ["ustar", SVGTextTests.noise(20_000), "<html></html>", "<svgx/>", ""] {
            #expect(ImageFormat(try SVGTextTests.gzip(Data(text.utf8))) == nil, "\(text.prefix(9))")
        }
    }

    private static func noise(_ count: Int) -> String {
        var number: UInt32 = 7
        return String(
            (0..<count).map { _ in
                number = number &* 1_664_525 &+ 1_013_904_223
                return Character(UnicodeScalar(UInt8(97 + (number >> 16) % 26)))
            })
    }

    private static func gzip(_ data: Data, level: Int32 = 6) throws -> Data {
        var stream = z_stream()
        try #require(
            deflateInit2_(
                &stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK)
        defer { deflateEnd(&stream) }
        var input = [UInt8](data)
        var output = [UInt8](repeating: 0, count: data.count + data.count / 100 + 1_000)
        return input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                #expect(deflate(&stream, Z_FINISH) == Z_STREAM_END)
                return Data(output[..<Int(stream.total_out)])
            }
        }
    }
}
#endif
