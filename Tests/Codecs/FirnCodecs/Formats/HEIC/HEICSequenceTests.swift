#if HEIC
import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct HEICSequenceTests {
    @Test func `the sample sequences exist`() {
        #expect(SequenceSample.all.count >= 10)
    }

    @Test(arguments: SequenceSample.all)
    func `frames are those of ffmpeg within a level, with the durations and loops of the file`(
        sample: SequenceSample
    ) throws {
        let opened = try session(sample.data)
        let properties = try #require(try opened.properties())
        #expect(properties.format == .heic)
        #expect(properties.size == sample.size)
        #expect(properties.orientation.rawValue == sample.orientation)
        #expect(properties.frameDurations == sample.durations.map { .milliseconds($0) })
        #expect(properties.loopCount == sample.loops)
        #expect(properties.bitDepth == sample.bits)
        #expect(properties.hasAlpha == sample.hasAlpha)
        let expected = try sample.frames
        try #require(expected.count == sample.durations.count)
        #expect(try opened.frames().map(\.duration) == sample.durations.map { .milliseconds($0) })
        for (frame, pixels) in expected.enumerated() {
            try compare(opened, frame: frame, with: pixels, sample)
        }
    }

    @Test(arguments: ["plain", "reordered", "opengop", "edited", "alpha"])
    func `frames are the same in any order`(name: String) throws {
        let sample = try SequenceSample.named(name)
        let opened = try session(sample.data)
        let expected = try sample.frames
        let last = expected.count - 1
        for frame in [last, 0, last / 2, last / 2 + 1, 1, last, last - 1, 0] {
            try compare(opened, frame: frame, with: expected[frame], sample)
        }
    }

    /// Compares a frame with the expected pixels. Division by a small alpha turns one stored level into several.
    private func compare(
        _ session: any ImageDecodingSession, frame: Int, with expected: [UInt8], _ sample: SequenceSample
    ) throws {
        var options = straight()
        options.frame = frame
        let found = try packed(session.decode(options))
        let tolerance = sample.name == "premultiplied" ? 2 : 1
        var largest = 0
        for index in stride(from: 0, to: min(found.count, expected.count), by: 4) {
            largest = max(largest, abs(Int(found[index + 3]) - Int(expected[index + 3])))
            if expected[index + 3] == 0 { continue }
            for color in index..<index + 3 { largest = max(largest, abs(Int(found[color]) - Int(expected[color]))) }
        }
        #expect(found.count == expected.count && largest <= tolerance, "frame \(frame): \(largest)")
    }

    @Test(arguments: [1, 7, 300])
    func `bytes may arrive in any pieces`(size: Int) throws {
        let sample = try SequenceSample.named("reordered")
        let data = try sample.data
        let pieces = try openSession(data)
        for start in stride(from: 0, to: data.count, by: size) {
            try pieces.append(data[start...].prefix(size))
            _ = try pieces.advance(straight())
        }
        pieces.finish()
        let whole = try session(data)
        for frame in [0, 5, 13] {
            var options = straight()
            options.frame = frame
            #expect(try packed(pieces.decode(options)) == packed(whole.decode(options)))
        }
    }

    @Test func `a rotated sequence is returned upright`() throws {
        let sample = try SequenceSample.named("turned")
        let bitmap = try session(sample.data).decode(straight(orientation: true))
        #expect(bitmap.size == sample.size.transposed)
        // The bottom left corner of the stored image moves to the top left.
        let stored = try #require(try sample.frames.first)
        let corner = (sample.size.height - 1) * sample.size.width * 4
        #expect(difference(Array(packed(bitmap).prefix(4)), Array(stored[corner..<corner + 4])) <= 1)
    }

    @Test func `samples of ten bits keep all of them`() throws {
        let sample = try SequenceSample.named("tenbit")
        var options = straight()
        options.pixelFormat = .rgba16Straight
        let bitmap = try session(sample.data).decode(options)
        let words = packed(bitmap).withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
        let bytes = words.map { UInt8((Int($0) + 128) / 257) }
        let expected = try #require(try sample.frames.first)
        #expect(difference(bytes, expected) <= 1)
        // In an image of 8 bits, each word would repeat its byte.
        #expect(words.contains { $0 >> 8 != $0 & 255 })
    }

    @Test func `a smaller size is an average of the frame`() throws {
        let sample = try SequenceSample.named("odd")
        var options = straight()
        options.frame = 2
        options.targetSize = TargetSize(width: 7, height: 5)
        let small = try session(sample.data).decode(options)
        #expect(small.size.width < sample.size.width && small.size.covers(PixelSize(width: 7, height: 5)))
        func mean(_ pixels: [UInt8]) -> Double { Double(pixels.reduce(0) { $0 + Int($1) }) / Double(pixels.count) }
        let expected = try mean(sample.frames[2])
        #expect(abs(mean(packed(small)) - expected) < 3)
    }

    @Test func `a sequence plays forever by default, or as often as stated`() throws {
        for (name, count) in [
            ("plain", RepetitionCount.forever), ("looped", .plays(3)), ("forever", .forever), ("edited", .once),
        ] {
            let properties = try session(SequenceSample.named(name).data).properties()
            #expect(properties?.repetitionCount == count, "\(name)")
        }
    }

    @Test func `a still does not replace a sequence unless the sequence is damaged`() throws {
        let sample = try SequenceSample.named("still")
        var data = try sample.data
        #expect(try session(data).frames().count == 4)
        let table = try #require(data.firstRange(of: Data("stsz".utf8)))
        data.replaceSubrange(table, with: Data("free".utf8))
        let still = try session(data)
        #expect(try still.frames().count == 1)
        // The image is gray.
        let pixel = try packed(still.decode(straight())).prefix(3).map { Int($0) }
        #expect(pixel.allSatisfy { abs($0 - 128) <= 2 })
    }

    /// The way in which a track's images are made undecodable.
    enum TrackDamage: CaseIterable {
        /// The first sample, to which all others refer, is left out.
        case missingReference
        /// The units are of a reserved type.
        case unknownUnits
        /// A unit is longer than its sample.
        case longUnit
        /// The samples are behind the end of the file.
        case outside
    }

    @Test(arguments: TrackDamage.allCases)
    func `the still replaces a sequence whose first image cannot be decoded`(damage: TrackDamage) throws {
        var data = try SequenceSample.named("still").data
        func number(_ offset: Int) -> Int { data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        func put(_ value: Int, _ offset: Int) {
            data.replaceSubrange(
                offset..<offset + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) })
        }
        // After the type: version and flags, the size of all samples (0), their count, the sizes.
        let sizes = try #require(data.firstRange(of: Data("stsz".utf8))).upperBound + 12
        let chunks = try #require(data.firstRange(of: Data("stco".utf8))).upperBound + 8
        let (first, length) = (number(chunks), number(sizes))
        switch damage {
        case .missingReference:
            put(first + length, chunks)
            let count = number(sizes - 4)
            for index in 1..<count { put(number(sizes + 4 * index), sizes + 4 * (index - 1)) }
        case .unknownUnits:
            var offset = first
            while offset + 4 < first + length {
                data[offset + 4] = 41 << 1
                offset += 4 + number(offset)
            }
        case .longUnit: put(length * 2, first)
        case .outside: put(data.count + 1000, chunks)
        }
        let opened = try session(data)
        #expect(try opened.properties()?.frameCount == 1)
        #expect(try opened.frames().count == 1)
        // The still is gray.
        let pixel = try packed(opened.decode(straight())).prefix(3).map { Int($0) }
        #expect(pixel.allSatisfy { abs($0 - 128) <= 2 })
    }

    @Test func `files truncated anywhere are an error or have fewer frames`() throws {
        for name in ["plain", "edited", "alpha"] {
            let data = try SequenceSample.named(name).data
            for count in stride(from: 40, to: data.count - 1, by: 61) {
                let opened = try session(data.prefix(count))
                var options = straight()
                let frames = (try? opened.frames().count) ?? 0
                options.frame = max(0, frames - 1)
                #expect(decodingError { _ = try opened.decode(options) } != nil, "\(name): \(count) bytes")
            }
        }
    }

    @Test(arguments: SequenceSample.all)
    func `a frame of a cut file that is complete decodes as in the whole`(sample: SequenceSample) throws {
        let data = try sample.data
        let whole = try session(data)
        var complete = 0
        for count in stride(from: data.count / 3, to: data.count, by: max(1, data.count / 23)) {
            let cut = try session(data.prefix(count))
            for (index, frame) in ((try? cut.frames()) ?? []).enumerated() where frame.isComplete {
                var options = straight()
                options.frame = index
                let found = try cut.decode(options)
                #expect(try packed(found) == packed(whole.decode(options)), "\(count) bytes, frame \(index)")
                complete += 1
            }
        }
        #expect(complete > 0 || sample.name != "reordered")
    }

    @Test func `limits hold`() throws {
        let data = try SequenceSample.named("plain").data
        var limits = ImageLimits()
        limits.maximumPixels = 32 * 24 - 1
        #expect(decodingError { _ = try session(data, limits: limits).properties() }?.fault == .limit)
        limits = ImageLimits()
        limits.maximumFrames = 4
        #expect(decodingError { _ = try session(data, limits: limits).properties() }?.fault == .limit)
        limits = ImageLimits()
        limits.maximumAnimationPixels = 32 * 24 * 3
        #expect(try session(data, limits: limits).frames().count == 3)
    }

    @Test func `a cancelled decode ends between two units`() throws {
        let sample = try SequenceSample.named("reordered")
        let cancellation = CancellationFlag()
        let opened = try session(sample.data, cancellation: cancellation)
        _ = try opened.frames()
        cancellation.cancel()
        var options = straight()
        options.frame = 13
        #expect(decodingError { _ = try opened.decode(options) }?.fault == .cancelled)
    }

    @Test func `the decoder's images are counted before they are allocated`() throws {
        let sample = try SequenceSample.named("reordered")
        let opened = try session(sample.data)
        // At least five images of 4:2:0, which a pyramid keeps.
        #expect(opened.workingBytes(for: straight()) > 5 * 32 * 24 * 3 / 2 + 32 * 24 * 4)
    }
}
#endif
