import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests the decoders with files of known content in every format; needs no corpus.
@Suite struct GeneratedImageTests {
    /// The formats of the set; a missing format could not be made.
    private static let formats: Set<ImageFormat> = [
        .jpeg, .png, .apng, .gif, .webp, .avif, .heic, .jxl, .tiff, .bmp, .ico, .qoi, .svg,
    ]

    @Test func `the set has a file of every format that this build encodes or decodes`() throws {
        let made = Set(GeneratedImages.all.map(\.format))
        for format in GeneratedImageTests.formats.subtracting(made) {
            // Only formats that this build leaves out may be missing.
            #expect(format == .avif || format == .jxl)
            let encoder: any ImageEncoding = format == .avif ? AVIFEncoder() : JXLEncoder()
            #expect(throws: ImageEncodingError.self) {
                _ = try encoder.encode(GeneratedPixels.bitmap(GeneratedPixels.gray))
            }
        }
    }

    @Test(arguments: GeneratedImages.all)
    func `a file is what was put into it`(image: GeneratedImage) throws {
        guard let session = try GeneratedImageTests.session(image.data) else { return }
        try GeneratedImageTests.check(session, image)
    }

    @Test(arguments: GeneratedImages.all)
    func `a file that comes in pieces is what it is as a whole`(image: GeneratedImage) throws {
        guard let decoder = GeneratedImageTests.decoder(image.data) else { return }
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        for start in stride(from: 0, to: image.data.count, by: 37) {
            do {
                try session.append(image.data.dropFirst(start).prefix(37))
                _ = try session.preview(GeneratedImageTests.options(0))
            } catch {
                guard error.fault == .unsupported else { throw error }
                return
            }
        }
        session.finish()
        try GeneratedImageTests.check(session, image)
    }

    @Test(arguments: GeneratedImages.all)
    func `a file at half its size is its content reduced`(image: GeneratedImage) throws {
        guard let session = try GeneratedImageTests.session(image.data) else { return }
        var options = GeneratedImageTests.options(0)
        options.targetSize = TargetSize(PixelSize(width: image.size.width / 2, height: image.size.height / 2))
        let found = QuarterColors(try session.decode(options)).values
        let expected = QuarterColors(try GeneratedPixels.bitmap(image.frames[0])).values
        for (one, other) in zip(found, expected) { #expect(abs(one - other) <= 12) }
    }

    @Test(arguments: GeneratedImages.all)
    func `a file cut short ends in an error, or in its image`(image: GeneratedImage) throws {
        for count in stride(from: 0, to: image.data.count, by: max(1, image.data.count / 40)) {
            do {
                guard let session = try GeneratedImageTests.session(image.data.prefix(count)) else { continue }
                let bitmap = try session.decode(GeneratedImageTests.options(0))
                #expect(bitmap.size == image.size)
            } catch let error as ImageDecodingError {
                #expect(error.fault == .data || error.fault == .unsupported, "\(count) bytes: \(error)")
            }
        }
    }

    // MARK: Comparison

    private static func check(_ session: any ImageDecodingSession, _ image: GeneratedImage) throws {
        let properties = try #require(try session.properties())
        #expect(properties.format == image.format)
        #expect(properties.size == image.size)
        #expect(properties.orientation == image.orientation)
        #expect(properties.frameDurations == image.durations?.map { .milliseconds($0) })
        #expect(properties.loopCount == image.loopCount)
        // An opaque image may report alpha: an icon and an SVG may always be transparent, and so may an unseen frame.
        if image.hasAlpha { #expect(properties.hasAlpha) }
        #expect(try session.frames().count >= image.frames.count)
        for (index, expected) in image.frames.enumerated() {
            let found = pixels(try session.decode(options(index)))
            let difference = zip(found, expected).reduce(0.0) { $0 + abs(Double($1.0) - Double($1.1)) }
            #expect(found.count == expected.count)
            #expect(difference / Double(expected.count) <= image.tolerance, "frame \(index)")
        }
    }

    private static func options(_ frame: Int) -> DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.appliesOrientation = false
        options.appliesColorProfile = false
        options.frame = frame
        return options
    }

    /// Returns straight RGBA with transparent pixels black.
    private static func pixels(_ bitmap: Bitmap) -> [UInt8] {
        var pixels = bitmap.withUnsafeBytes { bytes in
            (0..<bitmap.size.height).flatMap {
                Array(bytes[$0 * bitmap.bytesPerRow..<$0 * bitmap.bytesPerRow + bitmap.size.width * 4])
            }
        }
        for at in stride(from: 0, to: pixels.count, by: 4) where pixels[at + 3] == 0 {
            for sample in at..<at + 3 { pixels[sample] = 0 }
        }
        return pixels
    }

    private static func decoder(_ data: Data) -> (any ImageDecoding)? {
        ImageDecoders.standard.first { $0.recognizes(data.prefix(ImageFormat.sniffLength)) != nil }
    }

    /// Returns a session that has received a whole file; `nil` if the format is not in this build.
    private static func session(_ data: Data) throws -> (any ImageDecodingSession)? {
        guard let decoder = decoder(data) else { return nil }
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        do {
            try session.append(data)
            session.finish()
            _ = try session.properties()
        } catch {
            if error.fault == .unsupported { return nil }
        }
        return session
    }
}
