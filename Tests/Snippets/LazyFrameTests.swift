import Firn
import FoundationEssentials
import Testing

/// Frames that are decoded at once, and lazy ones, through the public interface, with an encoded file.
@Suite struct LazyFrameTests {
    /// A GIF of two frames: black, and white.
    private func animation() throws -> Data {
        let size = PixelSize(width: 4, height: 3)
        let animation = try ImageEncoders.gif().makeAnimation(
            size: size, repetitions: .plays(1), isOpaque: true, colorProfile: nil, cancellation: CancellationFlag())
        for level in [UInt8(0), 255] {
            let image = try Bitmap(size: size, format: .rgba8Straight) { pixels in
                for row in 0..<size.height {
                    for byte in 0..<size.width * 4 {
                        pixels.row(row).storeBytes(of: byte % 4 == 3 ? 255 : level, toByteOffset: byte, as: UInt8.self)
                    }
                }
            }
            try animation.append(image, duration: .milliseconds(100))
        }
        return try animation.finish()
    }

    /// A decoder with the first bytes of the GIF.
    private func decoder(bytes count: Int? = nil) throws -> ImageDecoder {
        let data = try animation()
        let decoder = ImageDecoder()
        try decoder.append(count.map { data.prefix($0) } ?? data)
        decoder.finish()
        return decoder
    }

    @Test func `an animation opened from a file lists its frames, and a damaged one none`() async throws {
        let file = URL(fileURLWithPath: "/tmp/\(UUID().uuidString).gif")
        defer { try? FileManager.default.removeItem(at: file) }
        try animation().write(to: file)
        let animation = try await AnimatedImage(contentsOf: file)
        #expect(animation.frameCount == 2 && animation.duration == .milliseconds(200))
        #expect(try animation.frames.map(level) == [0, 255])
        await #expect(throws: ImageError.self) { try await AnimatedImage(contentsOf: file.appending(path: "none")) }
        #expect(try await AnimatedImage(data: Data("GIF89a".utf8)).frames.isEmpty)
    }

    private func level(_ frame: DecodedFrame) throws -> UInt8 { try frame.image().withUnsafeBytes { $0[0] } }

    @Test func `by default a frame is decoded when the call returns`() throws {
        let decoder = try decoder()
        let frame = try decoder.frame(at: 1)
        #expect(frame.isDecoded && frame.subsamplingLevel == 1)
        #expect(try level(frame) == 255)
    }

    @Test func `a lazy frame is decoded by the first access to its pixels`() throws {
        let decoder = try decoder()
        let frames = try (0..<2).map { try decoder.frame(at: $0, isLazy: true) }
        #expect(frames.allSatisfy { !$0.isDecoded && $0.subsamplingLevel == nil })
        #expect(frames[1].properties.duration == .milliseconds(100) && frames[1].displaySize == decoder.size)
        #expect(try level(frames[1]) == 255)
        #expect(!frames[0].isDecoded && frames[1].isDecoded)
        #expect(try level(frames[0]) == 0)
    }

    @Test func `an unknown frame fails in the call, a damaged one when its pixels are accessed`() throws {
        let whole = try decoder()
        for isLazy in [false, true] {
            let error = #expect(throws: ImageError.self) { try whole.frame(at: 2, isLazy: isLazy) }
            #expect(error?.fault == .request)
        }
        let damaged = try decoder(bytes: whole.receivedBytes - 4)
        #expect(throws: ImageError.self) { try damaged.frame(at: 1) }
        let frame = try damaged.frame(at: 1, isLazy: true)
        #expect(throws: ImageError.self) { try frame.image() }
    }

    @Test func `the guide's frames are as described`() throws {
        #expect(try DecodingSnippets.modes(decoder()).withUnsafeBytes { $0[0] } == 255)
    }

    @Test func `the guide's animation has the frames, durations and plays of its source`() throws {
        let copy = ImageDecoder()
        try copy.setData(try DecodingSnippets.animated(decoder()), allDataReceived: true)
        #expect(copy.format == .webp && copy.frameCount == 2 && copy.repetitionCount == .once)
        #expect((0..<2).allSatisfy { copy.frameDuration(at: $0) == .milliseconds(100) })
    }
}
