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

    private static let files = GeneratedImages.all + FeatureImages.all

    @Test func `the set has a file of every format that this build encodes or decodes`() throws {
        let made = Set(GeneratedImages.all.map(\.format))
        for format in GeneratedImageTests.formats.subtracting(made) {
            // Only formats that this build leaves out may be missing.
            #expect(format == .avif || format == .jxl)
            let encoder: any ImageEncoding = format == .avif ? AVIFEncoder() : JXLEncoder()
            #expect(throws: ImageError.self) {
                _ = try encoder.encode(GeneratedPixels.bitmap(GeneratedPixels.gray))
            }
        }
    }

    @Test(arguments: files)
    func `a file has the bytes that were written to it`(image: GeneratedImage) throws {
        guard let session = try GeneratedImageTests.session(image.data) else { return }
        try GeneratedImageTests.check(session, image)
    }

    @Test(arguments: files, [1, 37, 512])
    func `a file that comes in pieces is what it is as a whole`(image: GeneratedImage, length: Int) throws {
        guard let decoder = GeneratedImageTests.decoder(image.data) else { return }
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        for start in stride(from: 0, to: image.data.count, by: length) {
            do {
                try session.append(image.data.dropFirst(start).prefix(length))
                // A preview after each byte would take minutes.
                if length > 1 || start % 101 == 0 { _ = try session.preview(GeneratedImageTests.options(image, 0)) }
            } catch {
                guard error.fault == .unsupported else { throw error }
                return
            }
        }
        session.finish()
        try GeneratedImageTests.check(session, image)
    }

    /// The blocks of the images have sides of 8 pixels, so that these sizes mix none.
    @Test(arguments: files, [2, 4])
    func `a reduced image has the means of its pixels`(image: GeneratedImage, divisor: Int) throws {
        guard let session = try GeneratedImageTests.session(image.data) else { return }
        var options = GeneratedImageTests.options(image, 0)
        options.targetSize = TargetSize(
            width: image.size.width / divisor, height: image.size.height / divisor)
        let bitmap = try session.decode(options)
        // A decoder may stop at a larger size that costs no more.
        let reduction = image.size.width / bitmap.size.width
        #expect(reduction <= divisor && bitmap.size.width * reduction == image.size.width)
        let found = GeneratedImageTests.means(GeneratedImageTests.pixels(bitmap), bitmap.size, 1)
        let expected = GeneratedImageTests.means(image.frames[0], image.size, reduction)
        try #require(found.count == expected.count)
        let differences = zip(found, expected).map { abs($0 - $1) }
        let mean = differences.reduce(0, +) / Double(differences.count)
        #expect(mean <= image.tolerance + 0.6, "\(mean) levels in the mean")
    }

    @Test(arguments: files)
    func `a file cut short ends in an error, or in its image`(image: GeneratedImage) throws {
        for count in stride(from: 0, to: image.data.count, by: max(1, image.data.count / 40)) {
            do {
                guard let session = try GeneratedImageTests.session(image.data.prefix(count)) else { continue }
                let bitmap = try session.decode(GeneratedImageTests.options(image, 0))
                #expect(bitmap.size == image.size)
            } catch let error as ImageError {
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
        // libavif does not report the number of repetitions in every version.
        if image.format != .avif { #expect(properties.loopCount == image.loopCount) }
        // An opaque image may report alpha: an icon and an SVG may always be transparent, and so may an unseen frame.
        if image.hasAlpha { #expect(properties.hasAlpha) }
        #expect(try session.frames().count >= image.frames.count)
        for (index, expected) in image.frames.enumerated() {
            let found = pixels(try session.decode(options(image, index)))
            let difference = zip(found, expected).reduce(0.0) { $0 + abs(Double($1.0) - Double($1.1)) }
            #expect(found.count == expected.count)
            #expect(difference / Double(expected.count) <= image.tolerance, "frame \(index)")
        }
    }

    /// Returns the mean premultiplied color of each square of straight pixels.
    private static func means(_ pixels: [UInt8], _ size: PixelSize, _ side: Int) -> [Double] {
        (0..<size.height / side).flatMap { row in
            (0..<size.width / side * 4).map { place in
                let (column, sample) = (place / 4, place % 4)
                let sum = (0..<side * side).reduce(0.0) { sum, number in
                    let (x, y) = (column * side + number % side, row * side + number / side)
                    let at = (y * size.width + x) * 4
                    let alpha = Double(pixels[at + 3])
                    return sum + (sample == 3 ? alpha : Double(pixels[at + sample]) * alpha / 255)
                }
                return sum / Double(side * side)
            }
        }
    }

    private static func options(_ image: GeneratedImage, _ frame: Int) -> DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.appliesOrientation = false
        options.appliesColorProfile = image.appliesColorProfile
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
