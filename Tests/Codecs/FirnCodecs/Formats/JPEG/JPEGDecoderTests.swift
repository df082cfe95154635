import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct JPEGDecoderTests {
    @Test func `properties are read from the markers`() throws {
        let properties = try #require(try session(DecoderSamples.baselineJPEG).properties())
        #expect(properties.size == PixelSize(width: 40, height: 24))
        #expect(properties.orientation == .right)
        #expect(properties.displaySize == PixelSize(width: 24, height: 40))
        #expect(properties.colorSpace == "ycbcr")
        #expect(!properties.isProgressive && !properties.hasAlpha)
    }

    @Test func `properties are known before the pixels have arrived`() throws {
        let session = try openSession(DecoderSamples.baselineJPEG)
        try session.append(DecoderSamples.baselineJPEG.prefix(20))
        #expect(try session.properties() == nil)
        #expect(session.workingBytes(for: DecodingOptions()) == 0)
        try session.append(DecoderSamples.baselineJPEG.dropFirst(20).prefix(340))
        #expect(try session.properties()?.size == PixelSize(width: 40, height: 24))
        #expect(session.workingBytes(for: DecodingOptions()) > 40 * 24 * 4)
    }

    @Test func `one scan and many give the same image`() throws {
        let one = try session(DecoderSamples.baselineJPEG).decode(straight())
        let many = try session(DecoderSamples.progressiveJPEG).decode(straight())
        #expect(packed(one) == packed(many))
        #expect(one.isOpaque)
    }

    @Test func `layouts agree`() throws {
        let rgba = try packed(session(DecoderSamples.baselineJPEG).decode(straight()))
        for format in [PixelFormat.bgra8Premultiplied, .rgb8] {
            var options = straight()
            options.pixelFormat = format
            let bytes = try packed(session(DecoderSamples.baselineJPEG).decode(options))
            let pixel = bytes.prefix(format.bytesPerPixel)
            #expect(Array(format == .rgb8 ? pixel : [pixel[2], pixel[1], pixel[0]]) == Array(rgba.prefix(3)))
        }
    }

    @Test(arguments: [(24, 5), (15, 3), (14, 3), (3, 1), (40, 8), (400, 8)])
    func `a target is met at the smallest eighth that covers it`(height: Int, eighths: Int) throws {
        // The displayed image is 24x40: its height is the stored width.
        var options = DecodingOptions()
        options.targetSize = TargetSize(width: 1000, height: height)
        let size = try session(DecoderSamples.baselineJPEG).decode(options).size
        #expect(size == PixelSize(width: 3 * eighths, height: 5 * eighths))
    }

    @Test func `the image is rotated by its orientation`() throws {
        let stored = try session(DecoderSamples.baselineJPEG).decode(straight())
        let turned = try session(DecoderSamples.baselineJPEG).decode(straight(orientation: true))
        #expect(turned.size == PixelSize(width: 24, height: 40))
        // A clockwise quarter turn moves the stored bottom left corner to the top left.
        let bottomLeft = packed(stored)[23 * 40 * 4..<23 * 40 * 4 + 4]
        #expect(Array(packed(turned).prefix(4)) == Array(bottomLeft))
    }

    @Test func `arithmetic coding is read, in pieces too`() throws {
        let whole = try session(DecoderSamples.arithmeticJPEG).decode(straight())
        let gray = packed(whole)
        #expect(gray[0] < 12 && gray[23 * 4] > 230)
        let session = try openSession(DecoderSamples.arithmeticJPEG)
        for byte in DecoderSamples.arithmeticJPEG { try session.append(Data([byte])) }
        session.finish()
        #expect(try packed(session.decode(straight())) == gray)
    }

    @Test func `inks stored inverted become colors (F17)`() throws {
        let pixels = try packed(session(DecoderSamples.inkJPEG).decode(straight()))
        #expect(pixels[0] > 250 && abs(Int(pixels[1]) - 55) < 6 && pixels[2] > 250, "\(pixels.prefix(4))")
        #expect(try session(DecoderSamples.inkJPEG).properties()?.colorSpace == "cmyk")
    }

    @Test func `every prefix that lacks pixels is an error, never half an image`() throws {
        for sample in [DecoderSamples.baselineJPEG, DecoderSamples.progressiveJPEG] {
            let whole = try packed(session(sample).decode(straight()))
            for length in 3..<sample.count {
                let part = sample.prefix(length)
                do {
                    let bitmap = try session(part).decode(straight())
                    // Only the end marker, and bits that pad the last byte, may be missing.
                    #expect(packed(bitmap) == whole, "\(length) of \(sample.count)")
                    #expect(length >= sample.count - 4, "\(length) of \(sample.count)")
                } catch {
                    #expect((error as? ImageError)?.fault == .data)
                }
            }
        }
    }

    @Test func `garbage behind the image is ignored`() throws {
        let whole = try packed(session(DecoderSamples.progressiveJPEG).decode(straight()))
        let longer = DecoderSamples.progressiveJPEG + Data([1, 2, 3, 0xFF, 0xD8, 4])
        #expect(try packed(session(longer).decode(straight())) == whole)
    }

    @Test func `thousands of small scans are decoded, and refused beyond the limit of work`() throws {
        // One scan of DC coefficients, repeated many times.
        var jpeg = HandmadeJPEG(width: 8, height: 8)
        let once = try packed(session(jpeg.data).decode(straight()))
        jpeg.scans = [HandmadeJPEG.Scan](repeating: .init(components: [0]), count: 3_000)
        #expect(try packed(session(jpeg.data).decode(straight())) == once)
        var limits = ImageLimits()
        // 1,000 scans, each of which counts as 4,096 pixels.
        limits.maximumScannedPixels = 4_096_000
        let error = decodingError { _ = try session(jpeg.data, limits: limits).decode(straight()) }
        #expect(error?.fault == .limit)
        #expect(error?.message == "has more than 1000 scans, too many for its size")
    }

    /// Returns the start of a JPEG of one pixel.
    private func start(frame: UInt8, bits: UInt8) -> Data {
        Data([
            0xFF, 0xD8, 0xFF, frame, 0, 11, bits, 0, 1, 0, 1, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 0, 0, 0,
            0xFF, 0xD9,
        ])
    }

    @Test(arguments: [
        (0xC3, 8, "lossless JPEG (SOF3)"), (0xC3, 14, "lossless JPEG (SOF3)"), (0xC0, 12, "12 bits a sample"),
        (0xC1, 12, "12 bits a sample"), (0xC2, 12, "12 bits a sample"),
    ])
    func `an error names the libjpeg-turbo that reads the file`(frame: UInt8, bits: UInt8, kind: String) throws {
        let error = try #require(
            decodingError { _ = try session(start(frame: frame, bits: bits)).decode(straight()) })
        #expect(error.fault == .unsupported)
        #expect(error.message.contains(kind), "\(error.message)")
        #expect(error.message.contains("which libjpeg-turbo reads from version 3.0 on"), "\(error.message)")
    }

    @Test(arguments: [(0xC5, "hierarchical JPEG (SOF5)"), (0xCB, "lossless JPEG (SOF11)"), (0xC1, "10 bits a sample")])
    func `an error names JPEG features that libjpeg-turbo cannot read`(frame: UInt8, kind: String) throws {
        let error = try #require(
            decodingError { _ = try session(start(frame: frame, bits: frame == 0xC1 ? 10 : 8)).decode(straight()) })
        #expect(error.fault == .unsupported)
        #expect(error.message.contains(kind) && !error.message.contains("3.0"), "\(error.message)")
    }
}
