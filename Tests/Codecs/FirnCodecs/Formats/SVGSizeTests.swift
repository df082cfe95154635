#if SVG
import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests the sizes that drawings state, and those at which they are rendered.
@Suite struct SVGSizeTests {
    private func svg(_ attributes: String, _ content: String = "") -> Data {
        Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>".utf8)
    }

    private func rendered(_ data: Data, _ change: (inout DecodingOptions) -> Void) throws -> Bitmap {
        var options = straight()
        change(&options)
        return try session(data).decode(options)
    }

    private func target(_ width: Int, _ height: Int, _ mode: ImageContentMode = .fit) -> TargetSize {
        TargetSize(width: width, height: height, mode: mode)
    }

    private static let disc = "<circle cx='12' cy='12' r='10'/><path d='M1 1 5 3 2 7z' fill='red'/>"

    @Test(
        arguments: [
            ("width='12' height='7'", 12.0, 7.0), ("width='1in' height='25.4mm'", 96, 96),
            ("width='2.54cm' height='72pt'", 96, 96), ("width='3pc' height='1.5px'", 48, 1.5),
            ("width='2em' height='4ex'", 32, 32), ("width='2em' height='10' font-size='20'", 40, 10),
            ("viewBox='0 0 30 20'", 30, 20), ("viewBox='5 5 1.5 2.5'", 1.5, 2.5),
            ("width='48' viewBox='0 0 24 18'", 48, 36), ("height='48' viewBox='0 0 24 18'", 64, 48),
            ("width='1in' height='100%' viewBox='0 0 2 1'", 96, 48),
            ("width='100%' height='100%' viewBox='0 0 7 5'", 7, 5), ("width='2em' viewBox='0 0 2 1'", 32, 16),
            ("width='48'", 48, 150), ("height='48'", 300, 48), ("", 300, 150),
            ("width='50%' height='50%'", 300, 150), ("viewBox='0 0 0 0'", 300, 150),
            ("width='1.2' height='0.5'", 1.2, 0.5), ("width='99999' height='1'", 32_767, 0.32767),
            ("width='1e9' height='1e9'", 32_767, 32_767),
        ] as [(String, Double, Double)])
    func `a drawing has the size that browsers give it`(attributes: String, width: Double, height: Double) throws {
        let properties = try #require(try session(svg(attributes)).properties())
        let size = try #require(properties.vectorSize)
        #expect(abs(size.width - width) < 0.001 && abs(size.height - height) < 0.001, "\(size)")
        #expect(properties.size.width == max(1, Int(width.rounded())))
        #expect(properties.size.height == max(1, Int(height.rounded())))
    }

    @Test func `a drawing is rendered at a larger size with all its detail`() throws {
        let small = svg("width='24' height='24' viewBox='0 0 24 24'", SVGSizeTests.disc)
        let large = svg("width='480' height='480' viewBox='0 0 24 24'", SVGSizeTests.disc)
        let whole = try session(large).decode(straight())
        for upscale in [false, true] {
            let image = try rendered(small) {
                $0.targetSize = TargetSize(480, upscale: upscale)
            }
            #expect(image.size == PixelSize(width: 480, height: 480))
            #expect(packed(image) == packed(whole))
        }
    }

    @Test func `ratios are those of the exact sides`() throws {
        for (attributes, width, height) in [
            ("width='1.2' height='0.5'", 300, 125), ("width='2.5' height='1'", 300, 120),
            ("width='1.5' height='1'", 300, 200), ("width='0.1mm' height='0.3mm'", 300, 900),
        ] {
            let wide = try rendered(svg(attributes)) { $0.targetSize = target(300, 1 << 24) }
            #expect(wide.size == PixelSize(width: width, height: height), "\(attributes)")
            let covering = try rendered(svg(attributes)) { $0.targetSize = target(300, 1, .fill) }
            #expect(covering.size == wide.size, "\(attributes)")
        }
    }

    @Test func `a drawing without sides is scaled with its content`() throws {
        let rect = "<rect width='150' height='75'/>"
        for attributes in ["", "width='300'", "height='150'", "width='100%' height='100%'"] {
            let image = try rendered(svg(attributes, rect)) { $0.targetSize = target(600, 600) }
            #expect(image.size == PixelSize(width: 600, height: 300))
            let pixels = packed(image)
            func alpha(_ x: Int, _ y: Int) -> UInt8 { pixels[(y * 600 + x) * 4 + 3] }
            #expect(alpha(299, 149) == 255 && alpha(301, 149) == 0 && alpha(299, 151) == 0, "\(attributes)")
        }
    }

    @Test(arguments: [false, true])
    func `a region is rendered as large as it is wanted`(hasFilter: Bool) throws {
        let filter = "<filter id='f'><feGaussianBlur stdDeviation='0.5'/></filter>"
        let content = hasFilter ? "\(filter)<g filter='url(#f)'>\(SVGSizeTests.disc)</g>" : SVGSizeTests.disc
        let data = svg("width='24' height='24' viewBox='0 0 24 24'", content)
        let whole = try rendered(data) { $0.targetSize = target(240, 240) }
        let part = try rendered(data) {
            $0.region = .pixels(x: 6, y: 3, width: 12, height: 9)
            $0.targetSize = target(120, 90)
        }
        #expect(part.size == PixelSize(width: 120, height: 90))
        let (all, cut) = (packed(whole), packed(part))
        var most = 0
        for y in 0..<90 {
            for x in 0..<480 {
                let place = ((y + 30) * 240 + 60) * 4 + x
                most = max(most, abs(Int(all[place]) - Int(cut[y * 480 + x])))
            }
        }
        // Cairo rounds the coverage of edges where it clips.
        #expect(most <= (hasFilter ? 0 : 40))
    }

    @Test func `the limits are those of the pixels that are rendered`() throws {
        var limits = ImageLimits()
        limits.maximumPixels = 100
        let large = svg("width='1010' height='10'")
        var options = straight()
        options.targetSize = target(100, 100)
        #expect(try session(large, limits: limits).decode(options).size == PixelSize(width: 100, height: 1))
        options.targetSize = target(1010, 1010)
        for options in [options, straight()] {
            let session = try session(large, limits: limits)
            #expect(decodingError { _ = try session.decode(options) }?.fault == .limit)
        }
        limits = ImageLimits()
        limits.maximumWorkingBytes = 64 << 20
        options.targetSize = target(20_000, 20_000)
        let small = try session(svg("width='1' height='1'"), limits: limits)
        #expect(decodingError { _ = try small.decode(options) }?.fault == .limit)
        options.targetSize = target(2_000_000, 2_000_000)
        let line = try session(svg("width='32767' height='0.5'")).decode(options)
        #expect(line.size == PixelSize(width: 32_767, height: 1))
    }
}
#endif
