#if FIRN_HEIC
    import FirnCodecs
    import FirnImage
    import FoundationEssentials
    import Testing

    @Suite struct HEICDecoderTests {
        @Test func `colours and alpha come within what the encoder lost`() throws {
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
            // Its red starts at 100.
            #expect(abs(Int(packed(second)[0]) - 100) <= 20)
            options.frame = 0
            let first = try packed(session.decode(options))
            #expect(meanDifference(first, gradient(width: 24, height: 16, hasAlpha: false)) <= 6)
        }

        @Test func `a thumbnail that is large enough stands for the picture`() throws {
            let session = try session(ModernSamples.thumbnailHEIC)
            var options = straight()
            options.targetSize = TargetSize(PixelSize(width: 12, height: 9))
            #expect(try session.decode(options).size == PixelSize(width: 16, height: 12))
            options.targetSize = TargetSize(PixelSize(width: 32, height: 24))
            #expect(try session.decode(options).size == PixelSize(width: 64, height: 48))
        }

        @Test func `files cut short anywhere end in an error`() throws {
            let data = ModernSamples.alphaHEIC
            for count in stride(from: 40, to: data.count - 1, by: 97) {
                let session = try session(data.prefix(count))
                #expect(decodingError { _ = try session.decode(straight()) } != nil, "\(count) bytes")
            }
        }

        @Test func `a picture larger than the limit is refused`() throws {
            var limits = DecodingLimits()
            limits.maximumPixels = 24 * 16 - 1
            let session = try session(ModernSamples.alphaHEIC, limits: limits)
            #expect(decodingError { _ = try session.properties() }?.fault == .limit)
        }
    }
#endif
