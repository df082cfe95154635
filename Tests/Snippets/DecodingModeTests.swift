import Firn
import FoundationEssentials
import Testing

/// Both decoding modes through the public interface, with an encoded file.
@Suite struct DecodingModeTests {
    /// A decoder with a GIF of two frames: black, and white.
    private func decoder(bytes count: Int? = nil) throws -> ImageDecoder {
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
        let data = try animation.finish()
        let decoder = ImageDecoder()
        try decoder.append(count.map { data.prefix($0) } ?? data)
        decoder.finish()
        return decoder
    }

    private func level(_ frame: DecodedFrame) throws -> UInt8 { try frame.image().withUnsafeBytes { $0[0] } }

    @Test func `an asynchronous frame, the default, is decoded when the call returns`() throws {
        let decoder = try decoder()
        for frame in [try decoder.frame(at: 1), try decoder.frame(at: 1, mode: .asynchronous)] {
            #expect(frame.isDecoded && frame.subsamplingLevel == 1)
            #expect(try level(frame) == 255)
        }
    }

    @Test func `a synchronous frame is decoded by the first access to its pixels`() throws {
        let decoder = try decoder()
        let frames = try (0..<2).map { try decoder.frame(at: $0, mode: .synchronous) }
        #expect(frames.allSatisfy { !$0.isDecoded && $0.subsamplingLevel == nil })
        #expect(frames[1].properties.duration == .milliseconds(100) && frames[1].displaySize == decoder.size)
        #expect(try level(frames[1]) == 255)
        #expect(!frames[0].isDecoded && frames[1].isDecoded)
        #expect(try level(frames[0]) == 0)
    }

    @Test func `an unknown frame fails in the call, a damaged one when its pixels are accessed`() throws {
        let whole = try decoder()
        for mode in [DecodingMode.asynchronous, .synchronous] {
            let error = #expect(throws: ImageError.self) { try whole.frame(at: 2, mode: mode) }
            #expect(error?.fault == .request)
        }
        let damaged = try decoder(bytes: whole.receivedBytes - 4)
        #expect(throws: ImageError.self) { try damaged.frame(at: 1, mode: .asynchronous) }
        let frame = try damaged.frame(at: 1, mode: .synchronous)
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
