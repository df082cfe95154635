import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests the public decoder with Firn's own codecs.
@Suite struct ImageDecoderCodecTests {
    private static let gif = HandmadeGIF(
        width: 2, height: 2,
        frames: [
            .init(width: 2, height: 2, indices: [0, 1, 2, 3], delay: 1),
            .init(left: 1, width: 1, height: 1, indices: [3], delay: 20),
            .init(width: 2, height: 2, indices: [3, 3, 3, 3], delay: 5),
        ], loops: 2)

    private func decoder(_ data: Data, by length: Int) throws -> ImageDecoder {
        let decoder = ImageDecoder()
        try decoder.receive(data, inPiecesOf: length)
        return decoder
    }

    @Test(arguments: [1, 7, 10_000])
    func `an animated GIF plays once more than its number, and durations of 0 become 100 ms`(length: Int) throws {
        let decoder = try decoder(Self.gif.data, by: length)
        #expect(decoder.status == .complete && decoder.format == .gif)
        #expect(decoder.frameCount == 3)
        #expect(decoder.repetitionCount == .plays(3))
        #expect((0..<3).map { decoder.frameDuration(at: $0) } == [10, 200, 50].map { .milliseconds($0) })
        #expect((0..<3).map { decoder.frameDisplayDuration(at: $0) } == [100, 200, 50].map { .milliseconds($0) })
        #expect((0..<3).allSatisfy { decoder.isFrameComplete(at: $0) })
    }

    @Test func `frames may be decoded in any order`() throws {
        let decoder = try decoder(Self.gif.data, by: 50)
        func pixels(_ index: Int) throws -> [UInt8] {
            try packed(decoder.frame(at: index, options: straight()).image())
        }
        let red: [UInt8] = [255, 0, 0, 255]
        let green: [UInt8] = [0, 255, 0, 255]
        let blue: [UInt8] = [0, 0, 255, 255]
        let white: [UInt8] = [255, 255, 255, 255]
        let expected = [red + green + blue + white, red + white + blue + white, white + white + white + white]
        for index in [2, 0, 1, 1, 2, 0] { #expect(try pixels(index) == expected[index]) }
    }

    @Test func `a frame is incomplete until its bytes have arrived`() throws {
        let data = Self.gif.data
        let decoder = ImageDecoder()
        try decoder.append(data.dropLast(12))
        #expect(decoder.status == .sizeAvailable)
        #expect(decoder.isFrameComplete(at: 0))
        _ = try decoder.frame(at: 0)
        let error = #expect(throws: ImageError.self) { try decoder.frame(at: 2) }
        #expect(error?.fault == .incomplete)
        try decoder.append(data.suffix(12))
        decoder.finish()
        _ = try decoder.frame(at: 2)
        #expect(decoder.status == .complete)
    }

    @Test(arguments: [DecoderSamples.baselineJPEG, DecoderSamples.lossyWebP])
    func `a still has one frame, however its bytes arrive`(sample: Data) throws {
        let whole = try packed(decoder(sample, by: sample.count).frame(at: 0, options: straight()).image())
        for length in [1, 13, 200] {
            let decoder = try decoder(sample, by: length)
            #expect(decoder.frameCount == 1 && decoder.repetitionCount == .once)
            #expect(try packed(decoder.frame(at: 0, options: straight()).image()) == whole)
        }
    }

    @Test func `a user's decoder is asked before Firn's`() throws {
        struct Everything: ImageDecoding {
            func recognizes(_ head: Data) -> ImageFormat? { ImageFormat(rawValue: "mine") }
            func makeSession(
                limits: ImageLimits, cancellation: CancellationFlag
            ) -> any ImageDecodingSession {
                FormatDecoder.gif.makeSession(limits: limits, cancellation: cancellation)
            }
        }
        let decoder = ImageDecoder(decoders: [Everything()] + ImageDecoders.standard)
        try decoder.append(Data("GIF8".utf8))
        #expect(decoder.format == ImageFormat(rawValue: "mine"))
        #expect(ImageDecoder(decoders: []).status == .unknown)
    }
}
