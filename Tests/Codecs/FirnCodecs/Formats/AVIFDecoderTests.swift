#if AVIF
import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct AVIFDecoderTests {
    @Test func `colors and alpha are within the loss of the encoder`() throws {
        let session = try session(ModernSamples.alphaAVIF)
        let properties = try #require(try session.properties())
        #expect(properties.size == PixelSize(width: 24, height: 16) && properties.hasAlpha)
        let pixels = try packed(session.decode(straight()))
        #expect(difference(pixels, gradient(width: 24, height: 16, hasAlpha: true)) <= 12)
    }

    @Test func `rotation and reflection of the container are the orientation`() throws {
        let session = try session(ModernSamples.turnedAVIF)
        let properties = try #require(try session.properties())
        #expect(properties.orientation.rawValue == 5 && properties.bitDepth == 10)
        #expect(properties.displaySize == PixelSize(width: 16, height: 24))
        #expect(properties.colorDescription?.primariesCode == 9)
        #expect(properties.colorDescription?.transferCode == 16)
        let pixels = try packed(session.decode(straight()))
        #expect(difference(pixels, gradient(width: 24, height: 16, hasAlpha: false)) <= 12)
    }

    /// Width, height, and the distances of the center from that of the image, each a numerator and a denominator.
    @Test(arguments: [
        ([8, 1, 6, 1, 0, 1, 0, 1], PixelArea(8, 5, 8, 6)), ([8, 1, 6, 1, -8, 1, -5, 1], PixelArea(0, 0, 8, 6)),
        ([7, 1, 5, 1, 1, 2, 1, 2], PixelArea(9, 6, 7, 5)), ([100, 1, 4, 1, 0, 1, 0, 1], PixelArea(0, 6, 24, 4)),
        ([24, 1, 16, 1, 0, 1, 0, 1], PixelArea(0, 0, 24, 16)), ([8, 0, 6, 1, 0, 1, 0, 1], PixelArea(0, 0, 24, 16)),
        ([8, 1, 6, 1, 100, 1, 0, 1], PixelArea(0, 0, 24, 16)),
    ])
    func `the clean aperture is shown, before the orientation`(clap: [Int], area: PixelArea) throws {
        let image = try Bitmap.painted(PixelSize(width: 24, height: 16)) { x, y in
            SIMD4(UInt8(x * 10), UInt8(y * 15), 7, 255)
        }
        for orientation in [1, 6] {
            let session = try session(HandmadeAVIF.data(image, orientation: orientation, clap: clap))
            #expect(try session.properties()?.size == area.size)
            let shown = try session.decode(straight())
            #expect(shown.size == area.size)
            var expected: [UInt8] = []
            for y in area.y..<area.y + area.size.height {
                for x in area.x..<area.x + area.size.width { expected += [UInt8(x * 10), UInt8(y * 15), 7, 255] }
            }
            #expect(packed(shown) == expected)
            var options = straight()
            options.region = .pixels(x: 1, y: 1, width: 3, height: 2)
            let part = packed(try session.decode(options))
            #expect(part.prefix(12) == expected.dropFirst(4 * (area.size.width + 1)).prefix(12))
        }
    }

    @Test func `the frames of a sequence are decoded in any order`() throws {
        let session = try session(ModernSamples.animatedAVIF)
        let properties = try #require(try session.properties())
        #expect(properties.frameCount == 3)
        #expect(properties.frameDurations == [100, 250, 40].map { .milliseconds($0) })
        var options = straight()
        for frame in [2, 0, 1, 2] {
            options.frame = frame
            let pixel = try packed(session.decode(options)).prefix(4)
            let expected = (0..<4).map { $0 == frame || $0 == 3 ? 255 : 0 }
            #expect(zip(pixel, expected).allSatisfy { abs(Int($0) - $1) <= 4 }, "frame \(frame): \(Array(pixel))")
        }
    }

    @Test func `the size is known before the file's end, wherever it is split`() throws {
        let data = ModernSamples.alphaAVIF
        let session = try openSession(data)
        var known: Int?
        for (index, byte) in data.enumerated() {
            try session.append(Data([byte]))
            if known == nil, try session.properties() != nil { known = index + 1 }
        }
        #expect(known.map { $0 < data.count } == true)
        session.finish()
        #expect(try session.decode(straight()).size == PixelSize(width: 24, height: 16))
    }

    /// Returns a box with a type and content.
    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let length = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + Array(type.utf8) + content
    }

    @Test(
        arguments: [
            ("iinf", [0, 0, 0, 0, 0xFF, 0]), ("iloc", [0, 0, 0, 0, 0x44, 0, 0xFF, 0]),
            ("iprp", [0, 0, 0, 20, 0x69, 0x70, 0x6D, 0x61, 0, 0, 0, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0]),
            ("iref", [0, 0, 0, 0, 0, 0, 0, 16, 0x64, 0x69, 0x6D, 0x67, 0, 1, 0xFF, 0, 0, 0, 0, 0]),
        ] as [(String, [UInt8])])
    func `more items than a library can look up in time are refused before it reads them`(
        list: String, content: [UInt8]
    ) throws {
        let meta = box("meta", [0, 0, 0, 0] + box(list, content + [UInt8](repeating: 0, count: 64)))
        let session = try session(Data(box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("avif".utf8)) + meta))
        let error = #expect(throws: ImageError.self) { _ = try session.properties() }
        #expect(error?.fault == .limit && error?.message == "has more than 16384 items")
    }
}
#endif
