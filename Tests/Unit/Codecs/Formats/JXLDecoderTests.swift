#if FIRN_JXL
    import FirnCodecs
    import FirnImage
    import FoundationEssentials
    import Testing

    @Suite struct JXLDecoderTests {
        @Test func `an image stored without loss is exact`() throws {
            let pixels = try packed(session(ModernSamples.losslessJXL).decode(straight()))
            #expect(pixels == gradient(width: 24, height: 16, hasAlpha: true))
        }

        @Test(arguments: [1, 7, 50])
        func `bytes may arrive in any pieces`(size: Int) throws {
            let data = ModernSamples.losslessJXL
            let session = try openSession(data)
            for start in stride(from: 0, to: data.count, by: size) {
                try session.append(data[(data.startIndex + start)...].prefix(size))
                _ = try session.advance(straight())
            }
            session.finish()
            #expect(try packed(session.decode(straight())) == gradient(width: 24, height: 16, hasAlpha: true))
        }

        @Test func `the frames of an animation are decoded in any order`() throws {
            let session = try session(ModernSamples.animatedJXL)
            let properties = try #require(try session.properties())
            #expect(properties.frameCount == 3)
            #expect(properties.frameDurations == [100, 250, 40].map { .milliseconds($0) })
            let colors: [[UInt8]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 128]]
            var options = straight()
            for frame in [1, 2, 0, 0, 1, 2] {
                options.frame = frame
                let pixels = try packed(session.decode(options))
                #expect(Array(pixels.prefix(4)) == colors[frame], "frame \(frame)")
            }
        }

        @Test func `an image in passes is shown before its end`() throws {
            let data = ModernSamples.progressiveJXL
            let session = try openSession(data)
            var shown: Bitmap?
            for byte in data.dropLast(8) {
                try session.append(Data([byte]))
                if shown == nil { shown = try session.preview(straight()) }
            }
            let preview = try #require(shown)
            #expect(preview.size == PixelSize(width: 320, height: 272))
            try session.append(data.suffix(8))
            session.finish()
            let image = try session.decode(straight())
            #expect(meanDifference(packed(preview), packed(image)) <= 16)
        }
    }
#endif
