import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests regions of files of every format against the crop of the whole decode.
@Suite struct RegionFormatTests {
    @Test func `regions of every frame of animations equal the crop of the whole`() throws {
        for (number, file) in AnimationSamples.all.enumerated() { try expectRegions(file, "animation \(number)") }
    }

    /// Returns bytes that differ from their neighbors.
    private static func bytes(_ count: Int, below limit: Int = 256) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<count {
            let number = index * 7 + index / 19
            bytes.append(UInt8(number % limit))
        }
        return bytes
    }

    @Test func `regions of BMP and QOI equal the crop of the whole`() throws {
        let rows = [[UInt8]](repeating: [], count: 13).indices.map { row -> [UInt8] in
            Array(RegionFormatTests.bytes(60 + row).suffix(60))
        }
        for height in [13, -13] {
            try expectRegions(HandmadeBMP(width: 20, height: height, bits: 24, rows: rows).data, "bmp \(height)")
        }
        var codes: [UInt8] = Array("qoif".utf8)
        codes += HandmadePNG.big(17, 4)
        codes += HandmadePNG.big(11, 4)
        codes += [4, 0]
        for pixel in 0..<17 * 11 {
            codes.append(0xFE)
            codes += RegionFormatTests.bytes(pixel + 3).suffix(3)
        }
        codes += [0, 0, 0, 0, 0, 0, 0, 1]
        try expectRegions(Data(codes), "qoi")
    }

    @Test func `regions of an interlaced GIF equal the crop of the whole`() throws {
        let indices = RegionFormatTests.bytes(19 * 23, below: 4)
        var frame = HandmadeGIF.Frame(width: 19, height: 23, indices: indices)
        for isInterlaced in [false, true] {
            frame.isInterlaced = isInterlaced
            try expectRegions(HandmadeGIF(width: 19, height: 23, frames: [frame]).data, "gif \(isInterlaced)")
        }
    }

    #if AVIF
    @Test func `regions of AVIF equal the crop of the whole`() throws {
        try expectRegions(ModernSamples.alphaAVIF, "alpha")
        try expectRegions(ModernSamples.turnedAVIF, "turned")
        try expectRegions(ModernSamples.animatedAVIF, "animated")
    }
    #endif

    #if HEIC
    @Test func `regions of HEIC equal the crop of the whole`() throws {
        try expectRegions(ModernSamples.twoHEIC, "two images")
        try expectRegions(ModernSamples.alphaHEIC, "alpha")
    }
    #endif

    #if JPEGXL
    @Test func `regions of JPEG XL equal the crop of the whole`() throws {
        try expectRegions(ModernSamples.losslessJXL, "lossless")
        try expectRegions(ModernSamples.animatedJXL, "animated")
        try expectRegions(ModernSamples.progressiveJXL, "progressive")
    }
    #endif

    #if SVG
    @Test func `regions of a drawing equal the crop of the whole, with filters, too`() throws {
        let shapes = """
            <linearGradient id="g"><stop stop-color="red"/><stop offset="1" stop-color="#00f8"/></linearGradient>
            <rect x="3.5" y="2" width="70" height="33.3" fill="url(#g)"/>
            <circle cx="40" cy="30" r="22.5" fill="none" stroke="green" stroke-width="3"/>
            """
        let open = #"<svg xmlns="http://www.w3.org/2000/svg" width="91" height="67">"#
        try expectRegions(Data("\(open)\(shapes)</svg>".utf8), "shapes")
        let blur = #"<filter id="f"><feGaussianBlur stdDeviation="4"/></filter><g filter="url(#f)">"#
        try expectRegions(Data("\(open)\(blur)\(shapes)</g></svg>".utf8), "blur")
    }

    @Test func `a region of a drawing is rendered at the size asked for`() throws {
        let open = #"<svg xmlns="http://www.w3.org/2000/svg" width="640" height="640">"#
        let text = #"\#(open)<rect width="320" height="640"/></svg>"#
        let decoder = try session(Data(text.utf8))
        var options = straight()
        options.region = .pixels(x: 240, y: 80, width: 160, height: 160)
        options.targetSize = TargetSize(40)
        let image = try decoder.decode(options)
        #expect(image.size == PixelSize(width: 40, height: 40))
        let pixels = packed(image)
        #expect(pixels[(20 * 40 + 19) * 4 + 3] == 255)
        #expect(pixels[(20 * 40 + 20) * 4 + 3] == 0)
    }
    #endif
}
