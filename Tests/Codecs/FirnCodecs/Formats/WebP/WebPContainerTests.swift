import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct WebPContainerTests {
    private let still = HandmadeWebP(
        width: 4, height: 3, frames: [.init(width: 4, height: 3, pixels: AnimationSamples.colors(12, alpha: 90))],
        isStill: true)

    @Test func `EXIF data after the pixels rotate the image`() throws {
        var exif: [UInt8] = Array("MM\0*".utf8)
        exif += [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
        var webp = still
        webp.behind = [("EXIF", exif), ("XMP ", Array("<x/>".utf8))]
        let data = webp.data
        let session = try openSession(data)
        for byte in data {
            try session.append(Data([byte]))
            _ = try session.advance(DecodingOptions())
        }
        session.finish()
        let properties = try #require(try session.properties())
        #expect(properties.orientation == .right)
        #expect(properties.exif.map { [UInt8]($0) } == exif)
        #expect(properties.xmp.map { [UInt8]($0) } == Array("<x/>".utf8))
        #expect(try session.decode(DecodingOptions()).size == PixelSize(width: 3, height: 4))
    }

    @Test func `a file declared opaque is opaque, even if its pixels have alpha`() throws {
        var webp = still
        webp.declaresAlpha = false
        let session = try session(webp.data)
        #expect(try session.properties()?.hasAlpha == false)
        let opaque = AnimationSamples.colors(12, alpha: 255)
        let bitmap = try session.decode(straight())
        #expect(bitmap.isOpaque && packed(bitmap) == opaque)
        var screen = DecodingOptions()
        screen.pixelFormat = .rgb8
        #expect(try packed(session.decode(screen)).count == 36)
    }

    @Test func `a lossy file declared opaque is opaque, even with an alpha chunk`() throws {
        let bitmap = try Bitmap(size: PixelSize(width: 16, height: 16), format: .rgba8Straight) { pixels in
            for y in 0..<16 {
                for x in 0..<16 {
                    let pixel = [UInt8(x * 16), UInt8(y * 16), 90, UInt8(x * 8)]
                    (pixels.row(y) + x * 4).copyMemory(from: pixel, byteCount: 4)
                }
            }
        }
        var bytes = [UInt8](try WebPEncoder(quality: 0.9).encode(bitmap))
        // The flags of the chunk VP8X, after RIFF and the chunk's own header.
        #expect(bytes[20] & 0x10 != 0 && bytes.indices.contains { bytes[$0...].starts(with: "ALPH".utf8) })
        #expect(try !session(Data(bytes)).decode(straight()).isOpaque)
        bytes[20] &= ~0x10
        let decoded = try session(Data(bytes)).decode(straight())
        #expect(decoded.isOpaque)
        let pixels = packed(decoded)
        #expect(stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 })
    }

    @Test func `a frame's chunk of odd length is followed by a byte of padding`() throws {
        let colors = AnimationSamples.colors(12, alpha: 255)
        var webp = HandmadeWebP(
            width: 4, height: 3, frames: (0..<3).map { _ in .init(width: 4, height: 3, pixels: colors) })
        webp.frames[0].behind = [7]
        webp.frames[1].behind = [7, 7, 7]
        #expect(try session(webp.data).properties()?.frameCount == 3)
    }

    @Test func `an image that is not as large as its canvas is refused`() throws {
        var webp = still
        webp.width = 5
        #expect(decodingError { _ = try session(webp.data).properties() }?.fault == .data)
    }

    @Test func `a frame of another size than declared fails alone`() throws {
        var webp = HandmadeWebP(
            width: 4, height: 3,
            frames: [
                .init(width: 4, height: 3, pixels: AnimationSamples.colors(12, alpha: 255)),
                .init(width: 2, height: 2, pixels: AnimationSamples.colors(4, alpha: 255)),
            ])
        let sound = try packed(session(webp.data).decode(straight()))
        webp.frames[1].pixels = AnimationSamples.colors(4, alpha: 255)
        var bytes = [UInt8](webp.data)
        // The declared width of the second frame.
        let second = try #require(bytes.indices.last { bytes[$0...].starts(with: "ANMF".utf8) })
        bytes[second + 8 + 6] = 2
        let session = try session(Data(bytes))
        #expect(try packed(session.decode(straight())) == sound)
        var options = straight()
        options.frame = 1
        #expect(decodingError { _ = try session.decode(options) }?.fault == .data)
    }

    @Test func `an animation without a frame is refused`() throws {
        let webp = HandmadeWebP(width: 4, height: 3, frames: [])
        #expect(decodingError { _ = try session(webp.data).properties() }?.message == "holds no whole frame")
    }

    @Test func `the background color that a file names is not shown`() throws {
        let webp = HandmadeWebP(
            width: 4, height: 3, frames: [.init(left: 2, width: 1, height: 1, pixels: [1, 2, 3, 255])])
        let pixels = try packed(session(webp.data).decode(straight()))
        #expect(pixels.prefix(8).allSatisfy { $0 == 0 } && Array(pixels[8..<12]) == [1, 2, 3, 255])
    }
}
