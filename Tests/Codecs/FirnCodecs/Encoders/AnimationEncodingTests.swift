import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests encoding animations frame by frame.
@Suite struct AnimationEncodingTests {
    static let encoders: [any AnimationEncoding] = {
        var encoders: [any AnimationEncoding] = [GIFEncoder(), WebPEncoder(lossless: true)]
        #if AVIF
        encoders.append(AVIFEncoder(lossless: true, speed: 10))
        #endif
        #if JPEGXL
        encoders.append(JXLEncoder(lossless: true, effort: 1))
        #endif
        return encoders
    }()

    /// Returns frames that differ in patches, some of which become transparent; few colors, so that GIF preserves them.
    private func frames(_ count: Int, _ size: PixelSize, seed: UInt64, opaque: Bool = false) throws -> [Bitmap] {
        var random = RepeatableNumbers(seed: seed)
        var pixels = [SIMD4<UInt8>](repeating: SIMD4(10, 20, 30, 255), count: size.area)
        return try (0..<count).map { index in
            for _ in 0..<4 {
                let (left, top) = (Int(random.next() % UInt64(size.width)), Int(random.next() % UInt64(size.height)))
                let level = UInt8(random.next() % 60)
                let clear = !opaque && random.next() % 4 == 0
                for y in top..<min(top + 9, size.height) {
                    for x in left..<min(left + 12, size.width) {
                        pixels[y * size.width + x] =
                            clear ? SIMD4(0, 0, 0, 0) : SIMD4(level, 255 - level, level / 2, 255)
                    }
                }
            }
            // No two frames are equal, because some encoders merge equal frames.
            pixels[0] = SIMD4(UInt8(index), 200, 1, 255)
            let now = pixels
            return try Bitmap.painted(size) { x, y in now[y * size.width + x] }
        }
    }

    private func frame(_ size: PixelSize) throws -> Bitmap { try #require(frames(1, size, seed: 6).first) }

    private func file(
        _ encoder: any AnimationEncoding, _ frames: [Bitmap], _ repetitions: RepetitionCount = .forever
    ) throws -> Data {
        let session = try encoder.makeAnimation(size: frames[0].size, repetitions: repetitions)
        for (index, frame) in frames.enumerated() {
            try session.append(frame, duration: .milliseconds(30 + 10 * index))
        }
        return try session.finish()
    }

    #if AVIF
    @Test(arguments: [0, 6, 7, 8, 9, 10])
    func `AVIF sequences of any length are written at any speed`(speed: Int) throws {
        // libaom 3.6 aborted from about the 30th frame on, and with alpha at speed 7.
        let (count, size) = (speed == 0 ? 4 : 40, PixelSize(width: 20, height: 12))
        for isOpaque in [true, false] {
            let frames = try frames(count, size, seed: 5, opaque: isOpaque)
            let seen = try EncodedImage(file(AVIFEncoder(quality: 1, speed: speed), frames))
            #expect(seen.properties.frameCount == frames.count)
        }
    }
    #endif

    @Test(arguments: encoders.indices) func `Frames without a duration, and the longest ones, stay frames`(index: Int)
        throws
    {
        let encoder = Self.encoders[index]
        let frames = try frames(5, PixelSize(width: 9, height: 7), seed: 9, opaque: true)
        let durations = [0, 40, 0, 65_535_000, 0]
        let session = try encoder.makeAnimation(size: frames[0].size, repetitions: .forever)
        for (frame, duration) in zip(frames, durations) { try session.append(frame, duration: .milliseconds(duration)) }
        let seen = try EncodedImage(session.finish()).properties
        #expect(seen.frameCount == 5)
        let longest = [ImageFormat.gif: 655_350, .webp: 0xFFFFFF][encoder.format] ?? 65_535_000
        let shown = (seen.frameDurations ?? []).map {
            FrameProperties(size: frames[0].size, duration: $0).displayDuration
        }
        #expect(shown == [100, 40, 100, longest, 100].map { .milliseconds($0) }, "\(encoder.format)")
    }

    @Test func `a GIF shows frames of 11 to 14 ms for 20 ms, not for 100 ms like frames of 10 ms`() throws {
        let frames = try frames(4, PixelSize(width: 9, height: 7), seed: 9, opaque: true)
        let session = try GIFEncoder().makeAnimation(size: frames[0].size, repetitions: .forever)
        for (frame, duration) in zip(frames, [12, 12, 8, 14]) {
            try session.append(frame, duration: .milliseconds(duration))
        }
        let seen = try EncodedImage(session.finish()).properties
        #expect(seen.frameDurations == [20, 20, 10, 20].map { .milliseconds($0) })
    }

    @Test(arguments: encoders.indices) func `Frames and durations are decoded as encoded`(index: Int) throws {
        let encoder = Self.encoders[index]
        for seed in [1, 2, 3] as [UInt64] {
            let frames = try frames(7, PixelSize(width: 41, height: 23), seed: seed, opaque: seed == 3)
            let seen = try EncodedImage(file(encoder, frames))
            #expect(seen.properties.format == encoder.format)
            #expect(
                seen.properties.frameDurations == [30, 40, 50, 60, 70, 80, 90].map { .milliseconds($0) },
                "\(encoder.format)")
            for (number, frame) in frames.enumerated() {
                #expect(
                    try seen.frame(number, as: .rgba8Straight).packedBytes == frame.packedBytes,
                    "\(encoder.format), frame \(number), seed \(seed)")
            }
        }
    }

    @Test(arguments: encoders.indices, [RepetitionCount.forever, .once, .plays(5)])
    func `The number of plays is kept`(index: Int, repetitions: RepetitionCount) throws {
        let encoder = Self.encoders[index]
        // libavif writes no number, and such sequences repeat.
        guard encoder.format != .avif else { return }
        let frames = try frames(2, PixelSize(width: 20, height: 10), seed: 4)
        #expect(try EncodedImage(file(encoder, frames, repetitions)).properties.repetitionCount == repetitions)
    }

    @Test(arguments: encoders.indices) func `Equal frames give equal bytes`(index: Int) throws {
        let frames = try frames(3, PixelSize(width: 20, height: 10), seed: 5)
        #expect(try file(Self.encoders[index], frames) == file(Self.encoders[index], frames))
    }

    @Test(arguments: encoders.indices) func `A frame of another size fails permanently`(index: Int) throws {
        let size = PixelSize(width: 20, height: 10)
        let session = try Self.encoders[index].makeAnimation(size: size)
        let other = try frame(PixelSize(width: 21, height: 10))
        let error = try #require(throws: ImageError.self) {
            try session.append(other, duration: .milliseconds(10))
        }
        #expect(error.message.contains("21"))
        #expect(throws: error) { try session.append(frame(size), duration: .milliseconds(10)) }
        #expect(throws: error) { try session.finish() }
    }

    @Test(arguments: encoders.indices) func `An animation without frames is an error, and so is a second end`(
        index: Int
    ) throws {
        let size = PixelSize(width: 20, height: 10)
        let empty = try Self.encoders[index].makeAnimation(size: size)
        #expect(throws: ImageError.self) { try empty.finish() }
        let session = try Self.encoders[index].makeAnimation(size: size)
        try session.append(frame(size), duration: .milliseconds(10))
        #expect(try !session.finish().isEmpty)
        #expect(throws: ImageError.self) { try session.finish() }
    }

    @Test(arguments: encoders.indices) func `Setting the flag cancels the encode`(index: Int) throws {
        let size = PixelSize(width: 20, height: 10)
        let flag = CancellationFlag()
        let session = try Self.encoders[index].makeAnimation(
            size: size, repetitions: .forever, isOpaque: false, colorProfile: nil, cancellation: flag)
        let frames = try frames(2, size, seed: 7)
        try session.append(frames[0], duration: .milliseconds(10))
        flag.cancel()
        let error = try #require(throws: ImageError.self) {
            try session.append(frames[1], duration: .milliseconds(10))
        }
        #expect(error.fault == .cancelled)
    }

    @Test func `Rounding to hundredths does not make a GIF longer or shorter`() throws {
        let frames = try frames(9, PixelSize(width: 8, height: 8), seed: 8)
        let session = try GIFEncoder().makeAnimation(size: frames[0].size)
        for frame in frames { try session.append(frame, duration: .milliseconds(33)) }
        let durations = try EncodedImage(session.finish()).properties.frameDurations
        #expect(durations?.reduce(.zero, +) == .milliseconds(300))
        #expect(durations?.allSatisfy { $0 == .milliseconds(30) || $0 == .milliseconds(40) } == true)
    }

    @Test func `GIF stores only the changed part of a frame`() throws {
        let size = PixelSize(width: 200, height: 200)
        let noise = try Bitmap.noise(size, format: .rgb8, seed: 9)
        let session = try GIFEncoder().makeAnimation(size: size)
        let single = try GIFEncoder().encode(noise)
        for _ in 0..<10 { try session.append(noise, duration: .milliseconds(40)) }
        let file = try session.finish()
        #expect(file.count < single.count + 10 * 100)
        #expect(try EncodedImage(file).properties.frameCount == 10)
    }
}
