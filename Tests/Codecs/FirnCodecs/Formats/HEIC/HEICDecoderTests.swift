#if HEIC
import FirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

@Suite struct HEICDecoderTests {
    @Test func `colors and alpha are within the loss of the encoder`() throws {
        let session = try session(ModernSamples.alphaHEIC)
        #expect(try session.properties()?.hasAlpha == true)
        let pixels = try packed(session.decode(straight()))
        let average = meanDifference(pixels, gradient(width: 24, height: 16, hasAlpha: true))
        #expect(average <= 6)
    }

    @Test func `other images of the file are frames of their own sizes`() throws {
        let session = try session(ModernSamples.twoHEIC)
        #expect(
            try session.frames().map(\.size) == [
                PixelSize(width: 24, height: 16), PixelSize(width: 16, height: 16),
            ])
        var options = straight()
        options.frame = 1
        let second = try session.decode(options)
        #expect(second.size == PixelSize(width: 16, height: 16))
        // The red of the second image starts at 100.
        #expect(abs(Int(packed(second)[0]) - 100) <= 20)
        options.frame = 0
        let first = try packed(session.decode(options))
        #expect(meanDifference(first, gradient(width: 24, height: 16, hasAlpha: false)) <= 6)
    }

    @Test func `a thumbnail that is large enough replaces the image`() throws {
        let session = try session(ModernSamples.thumbnailHEIC)
        var options = straight()
        options.targetSize = TargetSize(width: 12, height: 9)
        #expect(try session.decode(options).size == PixelSize(width: 16, height: 12))
        options.targetSize = TargetSize(width: 32, height: 24)
        #expect(try session.decode(options).size == PixelSize(width: 64, height: 48))
    }

    /// The version of the library that this process has loaded.
    private var libheifVersion: (major: UInt32, minor: UInt32) {
        typealias Version = @convention(c) () -> UInt32
        guard let symbol = dlsym(nil, "heif_get_version_number") else { return (0, 0) }
        let version = unsafeBitCast(symbol, to: Version.self)()
        return (version >> 24, version >> 16 & 0xFF)
    }

    /// Returns ``ModernSamples/thumbnailHEIC`` with a thumbnail that declares a size larger than its 16x12 pixels.
    private func misdeclaredThumbnail(width: UInt8, height: UInt8) throws -> Data {
        var data = ModernSamples.thumbnailHEIC
        let sides = try #require(data.firstRange(of: Data([0, 0, 0, 16, 0, 0, 0, 12])))
        data.replaceSubrange(sides, with: Data([0, 0, 0, width, 0, 0, 0, height]))
        return data
    }

    @Test func `a thumbnail smaller than declared is not used`() throws {
        let session = try session(misdeclaredThumbnail(width: 24, height: 18))
        var options = straight()
        options.targetSize = TargetSize(width: 20, height: 15)
        let small = try session.decode(options)
        #expect(small.size == PixelSize(width: 64, height: 48))
        options.targetSize = nil
        let whole = try session.decode(options)
        #expect(packed(small) == packed(whole))
    }

    @Test func `a thumbnail of another size than declared is used if it is large enough`() throws {
        let session = try session(misdeclaredThumbnail(width: 24, height: 18))
        var options = straight()
        options.targetSize = TargetSize(width: 12, height: 9)
        // libheif from 1.20 on refuses an image that has not the size that its box declares; half of the whole
        // image replaces it.
        let used = PixelSize(width: 16, height: 12)
        let expected = libheifVersion < (1, 20) ? used : PixelSize(width: 32, height: 24)
        #expect(try session.decode(options).size == expected)
    }

    @Test func `the estimate for 33 megapixels of 10 bits is libheif's use, not twice that`() throws {
        var data = ModernSamples.twoHEIC
        // A camera's image size instead of 24x16, and 10 bits instead of 8 in both configurations.
        let sides = try #require(data.firstRange(of: Data([0, 0, 0, 24, 0, 0, 0, 16])))
        data.replaceSubrange(sides, with: Data([0, 0, 0x1B, 0x60, 0, 0, 0x12, 0x40]))
        while let depths = data.firstRange(of: Data([0xFD, 0xF8, 0xF8, 0, 0, 0x0F])) {
            data.replaceSubrange(depths, with: Data([0xFD, 0xFA, 0xFA, 0, 0, 0x0F]))
        }
        let session = try session(data)
        let properties = try #require(try session.properties())
        #expect(properties.size == PixelSize(width: 7008, height: 4672) && properties.bitDepth == 10)
        let pixels = properties.size.area
        let needed = session.workingBytes(for: DecodingOptions())
        // Twice three words for each pixel while libheif rotates them, a byte for libde265's metadata, and the
        // image.
        #expect(needed > pixels * 12 && needed < pixels * 18)
        // The limit of `firn decode`.
        #expect(needed < 800 << 20)
        var small = DecodingOptions()
        small.targetSize = TargetSize(256)
        #expect(session.workingBytes(for: small) < needed - pixels * 3)
    }
}
#endif
