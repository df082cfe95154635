import CFirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests color profiles and texts that workers read: the results are those of this process.
@Suite struct MetadataWorkersTests {
    private func workers(_ limits: ImageLimits = ImageLimits(), kept: Int = 64) throws -> CodecWorkers {
        var isolation = DecoderIsolation.built(.all)
        isolation.imagesPerProcess = kept
        return try #require(try DecoderHost(isolation, DecodingWatch()).metadata(limits))
    }

    /// The pixels of a PNG of one color: a zlib stream a thousand times shorter than what it holds.
    private func zeros(_ side: Int) throws -> Data {
        let image = try Bitmap(size: PixelSize(width: side, height: side), format: .rgb8) { pixels in
            for y in 0..<side { pixels.row(y).initializeMemory(as: UInt8.self, repeating: 0, count: side * 3) }
        }
        let file = try PNGEncoder().encode(image)
        var stream = Data()
        var offset = 8
        while offset + 12 <= file.count {
            let length = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            if file[offset + 4..<offset + 8].elementsEqual(Array("IDAT".utf8)) {
                stream += file[offset + 8..<offset + 8 + length]
            }
            offset += length + 12
        }
        return stream
    }

    @Test(arguments: [1, 2, 64])
    func `texts are those that this process unpacks`(kept: Int) throws {
        let workers = try workers(kept: kept)
        let random = (0..<300_000).map { _ in UInt8.random(in: 0...255) }
        var damaged = HandmadePNG.stored(Array("damaged".utf8))
        damaged[0] = 0
        let short = Data(HandmadePNG.stored(Array("text".utf8)))
        for (stream, most) in [
            (short, 100), (short, 4), (short, 3), (short, 0), (short.dropLast(), 100), (Data(damaged), 100),
            (Data(HandmadePNG.stored([])), 100), (Data(HandmadePNG.stored(random)), 1 << 20),
            (try zeros(1000), 4 << 20), (try zeros(1000), 1 << 20), (Data(), 100),
        ] {
            let own = try ZlibStreams(workers: nil).unpacked(stream, most: most)
            #expect(try workers.unpacked(stream, most: most) == own, "\(stream.count) bytes, at most \(most)")
        }
        #expect(try workers.unpacked(short, most: 100) == Data("text".utf8))
    }

    @Test(arguments: [1, 2, 64])
    func `colors are those that this process converts`(kept: Int) throws {
        let workers = try workers(kept: kept)
        // Longer than the strip in one layout, shorter in the others.
        for (width, rows) in [(1, 1), (97, 13), (5000, 90), (150_000, 2)] {
            for (icc, from, to) in [
                (GeneratedProfile.rgb, SampleLayout.rgba8, SampleLayout.rgba8), (GeneratedProfile.rgb, .bgra8, .bgra8),
                (GeneratedProfile.rgb, .rgba16, .rgbaHalf), (GeneratedProfile.rgb, .rgb8, .rgb8),
                (GeneratedProfile.rgb, .rgba8, .rgba16), (GeneratedProfile.rgb, .rgba16, .rgba16),
                (GeneratedProfile.gray, .rgba8, .rgba8), (GeneratedProfile.gray, .rgba8, .rgbaHalf),
            ] {
                let profile = try #require(ColorProfile(icc: icc))
                var transform = ProfileTransform(profile: profile, from: from, to: to)
                if rows > 1 { transform.target = ColorTarget(profile: .displayP3, intent: .relative) }
                #expect(try RemoteTransform(transform, workers).result() == FIRN_COLOR_TRANSFORM)
                let own = try #require(ColorTransform.make(transform).transform)
                let samples = (0..<width * rows * from.bytesPerPixel).map {
                    UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 >> 8)
                }
                func converted(_ apply: (UnsafeRawPointer, Int, PixelBlock) throws -> Void) throws -> [UInt8] {
                    let image = try Bitmap(
                        size: PixelSize(width: width, height: rows), format: MetadataWorkersTests.format(of: to)
                    ) { pixels in
                        let block = PixelBlock(pixels, rows: 0..<rows)
                        try samples.withUnsafeBytes {
                            try apply(try #require($0.baseAddress), width * from.bytesPerPixel, block)
                        }
                    }
                    return image.packed
                }
                let remote = RemoteTransform(transform, workers)
                let expected = try converted { own.apply($0, bytesPerRow: $1, to: $2) }
                #expect(
                    try converted { try remote.apply($0, bytesPerRow: $1, to: $2) } == expected,
                    "\(width) x \(rows), \(from) to \(to)")
            }
        }
    }

    private static func format(of layout: SampleLayout) -> PixelFormat {
        switch layout {
        case .bgra8: .bgra8Premultiplied
        case .rgb8: .rgb8
        case .rgba16: .rgba16Straight
        case .rgbaHalf: .rgbaHalfPremultiplied
        default: .rgba8Straight
        }
    }

    @Test func `a profile that moves no color, and a damaged one, need no transform`() throws {
        let workers = try workers()
        var icc = GeneratedProfile.rgb
        icc.replaceSubrange(128..<132, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let damaged = try #require(ColorProfile(icc: icc))
        let transform = ProfileTransform(profile: damaged, from: .rgba8, to: .rgba8)
        #expect(try RemoteTransform(transform, workers).result() == FIRN_COLOR_UNUSABLE)
        #expect(ColorTransform.make(transform).result == FIRN_COLOR_UNUSABLE)
        let usable = try #require(ColorProfile(icc: GeneratedProfile.rgb))
        let astray = ProfileTransform(
            profile: usable, from: .rgba8, to: .rgba8, target: ColorTarget(profile: damaged))
        #expect(try RemoteTransform(astray, workers).result() == FIRN_COLOR_BAD_TARGET)
        #expect(ColorTransform.make(astray).result == FIRN_COLOR_BAD_TARGET)
    }

    @Test func `a cancelled session converts nothing`() throws {
        let flag = CancellationFlag()
        let workers = try #require(
            try DecoderHost(DecoderIsolation.built(.all), DecodingWatch(flag)).metadata(ImageLimits()))
        flag.cancel()
        let error = #expect(throws: ImageError.self) { try workers.unpacked(Data([1, 2, 3]), most: 10) }
        #expect(error?.fault == .cancelled)
    }
}
