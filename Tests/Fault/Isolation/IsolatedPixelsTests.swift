import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite("Pixels of isolated decodes")
struct IsolatedPixelsTests {
    @Test func `text of an SVG file has the glyphs that it has in the program's process`() throws {
        let file = IsolatedImages.drawing(
            "<text y='40' font-size='40' font-family='sans-serif'>é¿W</text>", side: 100)
        #expect(try pixels(file, IsolatedImages.real) == pixels(file, .none))
    }

    @Test func `a drawing of more fonts than a worker has threads, with a filter, has its pixels`() throws {
        // librsvg filters in a pool of threads, and Pango looks for each font in a thread of its own.
        let filter =
            "<filter id='f'><feTurbulence baseFrequency='.05'/><feGaussianBlur stdDeviation='3'/></filter>"
            + "<rect width='100' height='100' filter='url(#f)'/>"
        let text = (0..<40).map { "<text y='\($0 * 2)' font-size='9' font-family='font\($0)'>a\($0)</text>" }
        let file = IsolatedImages.drawing(filter + text.joined(), side: 100)
        #expect(try pixels(file, IsolatedImages.real) == pixels(file, .none))
    }

    @Test(arguments: ImageEncoders.formats)
    func `a complete file in memory has the pixels that it has in the program's process`(format: ImageFormat) throws {
        let size = PixelSize(width: 40, height: 30)
        let image = try Bitmap(size: size, format: .rgb8) { pixels in
            for y in 0..<size.height {
                pixels.row(y).initializeMemory(as: UInt8.self, repeating: UInt8(8 * y), count: 3 * size.width)
            }
        }
        let encoder = try #require(ImageEncoders.encoder(for: format))
        let file = try encoder.encode(image)
        #expect(try pixels(file, IsolatedImages.real) == pixels(file, .none))
        // A region passes the same interface.
        var options = DecodingOptions()
        options.region = .pixels(x: 7, y: 5, width: 21, height: 17)
        let part = try IsolatedImages.decode(file, options: options)
        #expect(part.size == PixelSize(width: 21, height: 17))
        let own = try IsolatedImages.decode(file, .none, options: options)
        #expect(part.withUnsafeBytes { Array($0) } == own.withUnsafeBytes { Array($0) })
    }

    @Test func `a compressed drawing is inflated in the worker, and has the size that is asked for`() throws {
        let drawing = IsolatedImages.drawing("<circle cx='50' cy='50' r='40'/>", side: 100)
        let file = GzipWriter.member(drawing)
        #expect(try pixels(file, IsolatedImages.real) == pixels(drawing, .none))
        var options = DecodingOptions()
        options.targetSize = TargetSize(width: 300, height: 400)
        let large = try IsolatedImages.decode(file, options: options)
        #expect(large.size == PixelSize(width: 300, height: 300))
        let own = try IsolatedImages.decode(drawing, .none, options: options)
        #expect(large.withUnsafeBytes { Array($0) } == own.withUnsafeBytes { Array($0) })
        let cut = file.prefix(file.count - 20)
        #expect(throws: ImageError.self) { try pixels(cut, IsolatedImages.real) }
    }

    @Test(arguments: [false, true])
    func `a file that is cut short has the rows that it has in the program's process`(isProgressive: Bool) throws {
        let size = PixelSize(width: 200, height: 160)
        let image = try Bitmap(size: size, format: .rgb8) { pixels in
            for y in 0..<size.height {
                let row = pixels.row(y)
                for x in 0..<3 * size.width { row.storeBytes(of: UInt8(x * y & 255), toByteOffset: x, as: UInt8.self) }
            }
        }
        let file = try JPEGEncoder(quality: 0.9, progressive: isProgressive).encode(image)
        var options = DecodingOptions()
        options.allowsPartial = true
        for part in [4, 8, 12] {
            let cut = file.prefix(file.count * part / 16)
            let own = try IsolatedImages.decode(cut, .none, options: options).withUnsafeBytes { Array($0) }
            #expect(try IsolatedImages.decode(cut, options: options).withUnsafeBytes { Array($0) } == own)
        }
    }

    private func pixels(_ file: Data, _ isolation: DecoderIsolation) throws -> [UInt8] {
        try IsolatedImages.decode(file, isolation).withUnsafeBytes { Array($0) }
    }
}
