#if FIRN_AVIF
    import FirnCodecs
    import FirnImage
    import FoundationEssentials
    import Testing

    @Suite struct AVIFDecoderTests {
        @Test func `colors and alpha are within the loss of the encoder`() throws {
            let session = try session(ModernSamples.alphaAVIF)
            let properties = try #require(try session.properties())
            #expect(properties.size == PixelSize(width: 24, height: 16) && properties.hasAlpha)
            let pixels = try packed(session.decode(straight()))
            #expect(difference(pixels, gradient(width: 24, height: 16, hasAlpha: true)) <= 12)
        }

        @Test func `rotation and reflection of the container are the orientation`() throws {
            let session = try session(ModernSamples.turnedAVIF)
            let properties = try #require(try session.properties())
            #expect(properties.orientation.rawValue == 5 && properties.bitDepth == 10)
            #expect(properties.displaySize == PixelSize(width: 16, height: 24))
            #expect(properties.colorDescription?.primariesCode == 9)
            #expect(properties.colorDescription?.transferCode == 16)
            let pixels = try packed(session.decode(straight()))
            #expect(difference(pixels, gradient(width: 24, height: 16, hasAlpha: false)) <= 12)
        }

        @Test func `the frames of a sequence are decoded in any order`() throws {
            let session = try session(ModernSamples.animatedAVIF)
            let properties = try #require(try session.properties())
            #expect(properties.frameCount == 3)
            #expect(properties.frameDurations == [100, 250, 40].map { .milliseconds($0) })
            var options = straight()
            for frame in [2, 0, 1, 2] {
                options.frame = frame
                let pixel = try packed(session.decode(options)).prefix(4)
                let expected = (0..<4).map { $0 == frame || $0 == 3 ? 255 : 0 }
                #expect(zip(pixel, expected).allSatisfy { abs(Int($0) - $1) <= 4 }, "frame \(frame): \(Array(pixel))")
            }
        }

        @Test func `the size is known before the file's end, wherever it is split`() throws {
            let data = ModernSamples.alphaAVIF
            let session = try openSession(data)
            var known: Int?
            for (index, byte) in data.enumerated() {
                try session.append(Data([byte]))
                if known == nil, try session.properties() != nil { known = index + 1 }
            }
            #expect(known.map { $0 < data.count } == true)
            session.finish()
            #expect(try session.decode(straight()).size == PixelSize(width: 24, height: 16))
        }
    }
#endif
