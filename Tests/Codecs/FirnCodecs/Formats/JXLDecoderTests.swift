#if JPEGXL
import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct JXLDecoderTests {
    @Test func `an image stored without loss is exact`() throws {
        let pixels = try packed(session(ModernSamples.losslessJXL).decode(straight()))
        #expect(pixels == gradient(width: 24, height: 16, hasAlpha: true))
    }

    /// A pixel, with EXIF data and XMP that are compressed with Brotli. By libjxl 0.7.
    private static let packedBoxes = """
        AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAASanhscAAAAAD/CgAQEAkAAAAoYnJvYkV4aWYbHQAABGF4qyRLPLLggi9fFIpUuFu9
        ADqRCu8DAAAAHGJyb2J4bWwgiwWAPHg6eG1wbWV0YS8+AwAAAB5qeGxwgAAAAQgCAQAwAEsYixVCMVEfwImMAA==
        """

    @Test(arguments: [10_000, 50, 7])
    func `metadata are read, also compressed ones`(size: Int) throws {
        let packed = try #require(Data(base64Encoded: Self.packedBoxes.filter { !$0.isWhitespace }))
        let exif = HandmadeEXIF(orientation: 6).data
        let plain = try JXLEncoder().encode(
            Bitmap.noise(PixelSize(4), format: .rgb8, seed: 1), metadata: EncodingMetadata(exif: exif),
            cancellation: CancellationFlag())
        for (file, isPacked) in [(packed, true), (plain, false)] {
            let properties = try #require(try session(file, inPiecesOf: size).properties())
            #expect(properties.exif?.prefix(2) == Data("II".utf8))
            #expect(properties.exif?.firstRange(of: Data("Me\0".utf8)) != nil)
            #expect(properties.orientation == .up)
            #expect(properties.xmp == (isPacked ? Data("<x:xmpmeta/>".utf8) : nil))
        }
    }

    @Test func `boxes of metadata that are cut or damaged are left out`() throws {
        let file = [UInt8](try #require(Data(base64Encoded: Self.packedBoxes.filter { !$0.isWhitespace })))
        for index in file.indices.dropFirst(12) {
            for value: UInt8 in [0, 0x7F, 0xFF] {
                var damaged = file
                damaged[index] = value
                _ = try? session(Data(damaged)).properties()
            }
            _ = try? session(Data(file.prefix(index))).properties()
        }
    }

    @Test(arguments: [1, 7, 50])
    func `bytes may arrive in any pieces`(size: Int) throws {
        let data = ModernSamples.losslessJXL
        let session = try openSession(data)
        for start in stride(from: 0, to: data.count, by: size) {
            try session.append(data[(data.startIndex + start)...].prefix(size))
            _ = try session.advance(straight())
        }
        session.finish()
        #expect(try packed(session.decode(straight())) == gradient(width: 24, height: 16, hasAlpha: true))
    }

    @Test func `the frames of an animation are decoded in any order`() throws {
        let session = try session(ModernSamples.animatedJXL)
        let properties = try #require(try session.properties())
        #expect(properties.frameCount == 3)
        #expect(properties.frameDurations == [100, 250, 40].map { .milliseconds($0) })
        let colors: [[UInt8]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 128]]
        var options = straight()
        for frame in [1, 2, 0, 0, 1, 2] {
            options.frame = frame
            let pixels = try packed(session.decode(options))
            #expect(Array(pixels.prefix(4)) == colors[frame], "frame \(frame)")
        }
    }

    @Test func `an image in passes is shown before its end`() throws {
        let data = ModernSamples.progressiveJXL
        let session = try openSession(data)
        var shown: Bitmap?
        for byte in data.dropLast(8) {
            try session.append(Data([byte]))
            if shown == nil { shown = try session.preview(straight()) }
        }
        let preview = try #require(shown)
        #expect(preview.size == PixelSize(width: 320, height: 272))
        try session.append(data.suffix(8))
        session.finish()
        let image = try session.decode(straight())
        #expect(meanDifference(packed(preview), packed(image)) <= 16)
    }

    @Test(arguments: [50, 64, 100, 333, 700])
    func `a file of several groups may arrive in pieces`(size: Int) throws {
        let data = ModernSamples.groupedJXL
        let whole = try packed(session(data).decode(straight()))
        var expected: [UInt8] = []
        for _ in 0..<64 {
            for x in 0..<2100 { expected += [UInt8(x / 300 * 40), 0, UInt8(x / 500 * 90 % 256), 255] }
        }
        #expect(meanDifference(whole, expected) < 2)
        #expect(try packed(session(data, inPiecesOf: size).decode(straight())) == whole)
    }

    @Test(arguments: [50, 300])
    func `an animation of several groups may arrive in pieces`(size: Int) throws {
        let data = ModernSamples.groupedAnimatedJXL
        let whole = try session(data)
        let pieces = try session(data, inPiecesOf: size)
        #expect(try pieces.properties()?.frameDurations == [100, 100, 100].map { .milliseconds($0) })
        var options = straight()
        for frame in [0, 2, 1] {
            options.frame = frame
            let pixels = try packed(pieces.decode(options))
            #expect(try pixels == packed(whole.decode(options)))
            #expect(meanDifference(Array(pixels.prefix(4)), [UInt8(40 * frame), 0, 200, 255]) < 4)
        }
    }

    @Test func `a file of several groups that is cut short or damaged is an error at its end`() throws {
        let data = ModernSamples.groupedJXL
        let cut = try session(data.dropLast(40), inPiecesOf: 50)
        #expect(decodingError { _ = try cut.decode(straight()) }?.message == "the data is cut short")
        var damaged = data
        for index in 400..<420 { damaged[damaged.startIndex + index] ^= 0x55 }
        let broken = try openSession(damaged)
        for start in stride(from: 0, to: damaged.count, by: 50) {
            try broken.append(damaged[start...].prefix(50))
            #expect(try !broken.advance(straight()))
        }
        broken.finish()
        #expect(decodingError { _ = try broken.decode(straight()) }?.message == "damaged codestream")
    }
}
#endif
