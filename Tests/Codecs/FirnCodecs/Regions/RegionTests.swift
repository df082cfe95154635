import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests regions of decodes against the crop of the whole decode.
@Suite struct RegionTests {
    private static func opaque(_ width: Int, _ height: Int) throws -> Bitmap {
        try JPEGImages.waves(width: width, height: height)
    }

    @Test(arguments: [
        "baselineJPEG", "progressiveJPEG", "arithmeticJPEG", "inkJPEG", "losslessWebP", "lossyWebP",
    ])
    func `a region of a small file equals the crop of the whole`(name: String) throws {
        let files = [
            "baselineJPEG": DecoderSamples.baselineJPEG, "progressiveJPEG": DecoderSamples.progressiveJPEG,
            "arithmeticJPEG": DecoderSamples.arithmeticJPEG, "inkJPEG": DecoderSamples.inkJPEG,
            "losslessWebP": DecoderSamples.losslessWebP, "lossyWebP": DecoderSamples.lossyWebP,
        ]
        try expectRegions(#require(files[name]), name)
    }

    @Test(arguments: 1...8)
    func `a region of an upright JPEG equals the crop of the whole`(orientation: Int) throws {
        for chroma in [ChromaSubsampling.full, .quarter] {
            for progressive in [false, true] {
                let file = try JPEGEncoder(quality: 0.8, progressive: progressive, chroma: chroma)
                    .encode(RegionTests.opaque(151, 97))
                let turned = JPEGImages.inserting([EXIFSegments.segment(orientation)], into: file)
                try expectRegions(turned, "orientation \(orientation), \(chroma), progressive \(progressive)")
            }
        }
    }

    @Test func `a region of a PNG equals the crop of the whole`() throws {
        for height in [1, 2, 33] {
            let file = try PNGEncoder().encode(RegionTests.opaque(45, height))
            try expectRegions(file, "\(height) rows")
        }
    }

    @Test func `a region of a lossy WebP equals the crop of the whole`() throws {
        for quality in [0.3, 0.9] {
            try expectRegions(WebPEncoder(quality: quality).encode(RegionTests.opaque(151, 97)), "\(quality)")
        }
    }

    @Test func `a region outside of the image is an error of the request that names both`() throws {
        let file = try PNGEncoder().encode(RegionTests.opaque(45, 33))
        let decoder = try session(file)
        var options = straight()
        options.region = .pixels(x: 45, y: 0, width: 1, height: 1)
        let error = decodingError { _ = try decoder.decode(options) }
        #expect(error?.fault == .request)
        #expect(error?.description == "png: the region 45,0,1x1 has no pixel in the image of 45x33 pixels")
        // The session continues.
        options.region = .pixels(x: 44, y: 0, width: 1, height: 1)
        #expect(try decoder.decode(options).size == PixelSize(width: 1, height: 1))
    }

    @Test func `a truncated file gives the regions whose bytes it has`() throws {
        let file = try JPEGEncoder(quality: 0.9).encode(RegionTests.opaque(160, 160))
        let decoder = try session(file.prefix(file.count / 2))
        var options = straight()
        options.region = .pixels(x: 8, y: 120, width: 8, height: 40)
        #expect(decodingError { _ = try decoder.decode(options) }?.fault == .data)
        options.region = .pixels(x: 8, y: 0, width: 8, height: 16)
        #expect(try decoder.decode(options).size == PixelSize(width: 8, height: 16))
    }

    @Test func `a target size applies to the region`() throws {
        let file = try PNGEncoder().encode(RegionTests.opaque(400, 300))
        let decoder = ImageDecoder()
        try decoder.append(file)
        decoder.finish()
        var options = straight()
        options.region = .fractions(x: 0.5, y: 0.5, width: 0.5, height: 0.5)
        options.targetSize = TargetSize(50)
        let frame = try decoder.frame(at: 0, options: options)
        #expect(frame.displaySize == PixelSize(width: 400, height: 300))
        #expect(frame.area == PixelArea(200, 150, 200, 150))
        #expect(options.targetSize?.resolved(for: frame.area.size) == PixelSize(width: 50, height: 38))
        let size = try frame.image().size
        #expect(size.covers(PixelSize(width: 50, height: 38)) && size.width <= 100)
    }
}
