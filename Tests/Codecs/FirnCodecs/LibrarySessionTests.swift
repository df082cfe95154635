import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct LibrarySessionTests {
    private static let png = HandmadePNG(
        width: 5, height: 3, colorType: 4, rows: (0..<3).map { y in (0..<10).map { UInt8(y * 50 + $0 * 5) } })
    private static let gif = HandmadeGIF(
        width: 2, height: 2, frames: [.init(width: 2, height: 2, indices: [0, 1, 2, 3])])

    static let samples: [Data] = [
        DecoderSamples.baselineJPEG, DecoderSamples.progressiveJPEG, png.data, gif.data, DecoderSamples.losslessWebP,
        DecoderSamples.lossyWebP,
    ]

    @Test(arguments: samples)
    func `a file split anywhere gives the same image`(sample: Data) throws {
        let whole = try packed(session(sample).decode(straight()))
        for split in 1..<sample.count {
            let session = try openSession(sample)
            try session.append(sample.prefix(split))
            _ = try session.properties()
            try session.append(sample.dropFirst(split))
            session.finish()
            #expect(try packed(session.decode(straight())) == whole, "split at \(split)")
        }
    }

    @Test(arguments: samples)
    func `a file that arrives byte by byte gives the same image`(sample: Data) throws {
        let session = try openSession(sample)
        for byte in sample {
            try session.append(Data([byte]))
            _ = try session.properties()
        }
        session.finish()
        #expect(try packed(session.decode(straight())) == packed(self.whole(sample)))
    }

    private func whole(_ sample: Data) throws -> Bitmap { try session(sample).decode(straight()) }

    @Test(arguments: samples)
    func `a session decodes twice`(sample: Data) throws {
        let session = try session(sample)
        var small = straight()
        small.targetSize = TargetSize(1)
        _ = try session.decode(small)
        #expect(try packed(session.decode(straight())) == packed(whole(sample)))
    }

    @Test(arguments: samples)
    func `a cancelled session keeps throwing the cancellation`(sample: Data) throws {
        let flag = CancellationFlag()
        let session = try session(sample, cancellation: flag)
        flag.cancel()
        for _ in 0..<2 {
            #expect(decodingError { _ = try session.decode(DecodingOptions()) }?.fault == .cancelled)
        }
    }

    @Test func `a failed session throws its first error again`() throws {
        let session = try session(DecoderSamples.baselineJPEG.prefix(200))
        let first = decodingError { _ = try session.decode(DecodingOptions()) }
        #expect(first != nil)
        #expect(decodingError { _ = try session.properties() } == first)
        #expect(decodingError { _ = try session.decode(DecodingOptions()) } == first)
        #expect(decodingError { try session.append(Data([1])) } == first)
    }

    @Test func `a file above the limit of bytes is refused as it arrives`() throws {
        var limits = ImageLimits()
        limits.maximumBytes = 100
        let session = try openSession(DecoderSamples.baselineJPEG, limits: limits)
        try session.append(DecoderSamples.baselineJPEG.prefix(100))
        #expect(decodingError { try session.append(Data([1])) }?.fault == .limit)
    }

    @Test func `a result above the limit of decoded bytes is refused`() throws {
        var limits = ImageLimits()
        limits.maximumResultBytes = 1_000
        for sample in LibrarySessionTests.samples.prefix(2) {
            #expect(decodingError { _ = try session(sample, limits: limits).decode(straight()) }?.fault == .limit)
        }
    }

    @Test func `a frame that cannot be decoded yet is refused, and the session continues`() throws {
        let session = try session(LibrarySessionTests.gif.data)
        var options = DecodingOptions()
        options.frame = 1
        #expect(decodingError { _ = try session.decode(options) }?.fault == .unsupported)
        #expect(throws: Never.self) { try session.decode(DecodingOptions()) }
    }

    @Test func `no two decoders take the same content`() {
        for sample in LibrarySessionTests.samples {
            #expect(ImageDecoders.standard.filter { $0.recognizes(sample) != nil }.count == 1)
        }
    }
}
