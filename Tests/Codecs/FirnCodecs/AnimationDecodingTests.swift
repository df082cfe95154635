import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests that hold for every animation format.
@Suite struct AnimationDecodingTests {
    private func images(_ session: any ImageDecodingSession) throws -> [[UInt8]] {
        try session.frames().indices.map { index in
            var options = straight()
            options.frame = index
            return try packed(session.decode(options))
        }
    }

    @Test(arguments: AnimationSamples.all)
    func `frames, durations and repetitions are as stored`(sample: Data) throws {
        let session = try session(sample)
        let properties = try #require(try session.properties())
        #expect(properties.size == PixelSize(width: 4, height: 3))
        #expect(properties.frameCount == 4)
        #expect(properties.loopCount == 2)
        let frames = try session.frames()
        #expect(properties.frameDurations == frames.compactMap { $0.duration })
        #expect(frames.first?.duration == .milliseconds(50) && frames.last?.duration == .milliseconds(80))
        #expect(frames.count == 4)
        #expect(frames.allSatisfy { $0.isComplete && $0.size == properties.size })
        #expect(try images(session).count == 4)
    }

    @Test(arguments: AnimationSamples.all)
    func `a file split anywhere gives the same frames`(sample: Data) throws {
        let whole = try images(session(sample))
        for split in 1..<sample.count {
            let session = try openSession(sample)
            try session.append(sample.prefix(split))
            _ = try session.properties()
            for index in try session.frames().indices {
                var options = straight()
                options.frame = index
                _ = try session.advance(options)
                _ = try session.preview(options)
            }
            try session.append(sample.dropFirst(split))
            session.finish()
            #expect(try images(session) == whole, "split at \(split)")
        }
    }

    @Test(arguments: AnimationSamples.all)
    func `frames appear byte by byte, and a complete one can be decoded at once`(sample: Data) throws {
        let whole = try images(session(sample))
        let session = try openSession(sample)
        var known = 0
        var complete = 0
        for byte in sample {
            try session.append(Data([byte]))
            let frames = try session.frames()
            #expect(frames.count >= known)
            known = frames.count
            let completeNow = frames.prefix { $0.isComplete }.count
            #expect(completeNow >= complete)
            for index in complete..<completeNow {
                var options = straight()
                options.frame = index
                #expect(try packed(session.decode(options)) == whole[index], "frame \(index)")
            }
            complete = completeNow
            var next = straight()
            next.frame = completeNow
            let error = decodingError { _ = try session.decode(next) }
            #expect(error == nil || error?.fault == .incomplete || completeNow == 4)
        }
        session.finish()
        #expect(try images(session) == whole)
    }

    @Test(arguments: AnimationSamples.all)
    func `every shorter file gives whole frames or errors`(sample: Data) throws {
        let whole = try images(session(sample))
        for length in 16..<sample.count {
            guard let session = try? session(sample.prefix(length)), let frames = try? session.frames() else {
                continue
            }
            for index in frames.indices {
                var options = straight()
                options.frame = index
                do throws(ImageError) {
                    #expect(try packed(session.decode(options)) == whole[index], "length \(length), frame \(index)")
                } catch {
                    #expect(error.fault == .data && !error.message.isEmpty)
                    #expect(!frames[index].isComplete || index == 0, "length \(length), frame \(index)")
                }
                options.allowsPartial = true
                _ = try? session.decode(options)
            }
        }
    }

    @Test(arguments: AnimationSamples.all)
    func `damaged bytes end in images or errors`(sample: Data) throws {
        for seed: UInt64 in 0..<150 {
            var random = RepeatableNumbers(seed: seed)
            var damaged = [UInt8](sample)
            for _ in 0..<3 {
                damaged[Int.random(in: 12..<damaged.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            var limits = ImageLimits()
            limits.maximumPixels = 1 << 16
            limits.maximumFrames = 100
            guard let session = try? session(Data(damaged), limits: limits), let frames = try? session.frames() else {
                continue
            }
            for index in frames.indices.prefix(10) {
                var options = DecodingOptions()
                options.frame = index
                options.allowsPartial = seed % 2 == 0
                _ = decodingError { _ = try session.decode(options) }
            }
        }
    }

    @Test(arguments: AnimationSamples.all)
    func `a target makes frames smaller after they were composited`(sample: Data) throws {
        let session = try session(sample)
        for index in 0..<4 {
            var options = straight()
            options.frame = index
            let whole = try packed(session.decode(options))
            options.targetSize = TargetSize(1)
            options.pixelFormat = .bgra8Premultiplied
            let small = try session.decode(options)
            #expect(small.size.width < 4 && small.size.height <= 3)
            // The mean alpha is that of all pixels, whichever stage reduces the image.
            let alpha = stride(from: 3, to: whole.count, by: 4).reduce(0) { $0 + Int(whole[$1]) }
            let bytes = packed(small)
            let average = stride(from: 3, to: bytes.count, by: 4).reduce(0) { $0 + Int(bytes[$1]) }
            #expect(abs(Double(alpha) / 12 - Double(average) / Double(bytes.count / 4)) < 26, "frame \(index)")
        }
    }

    @Test(arguments: AnimationSamples.all)
    func `a missing frame is an error and does not affect the others`(sample: Data) throws {
        let session = try session(sample)
        for index in [-1, 4, Int.max] {
            var options = straight()
            options.frame = index
            #expect(decodingError { _ = try session.decode(options) }?.fault == .unsupported)
        }
        #expect(try images(session).count == 4)
    }

    @Test(arguments: AnimationSamples.all)
    func `frames above the limits are refused or not counted`(sample: Data) throws {
        var limits = ImageLimits()
        limits.maximumFrames = 3
        #expect(decodingError { _ = try session(sample, limits: limits).properties() }?.fault == .limit)
        limits = ImageLimits()
        limits.maximumAnimationPixels = 13
        #expect(try session(sample, limits: limits).properties()?.frameCount ?? 0 < 4)
        limits = ImageLimits()
        limits.maximumPixels = 11
        #expect(decodingError { _ = try session(sample, limits: limits).properties() }?.fault == .limit)
        limits = ImageLimits()
        limits.maximumResultBytes = 40
        #expect(decodingError { _ = try session(sample, limits: limits).decode(straight()) }?.fault == .limit)
    }
}
