import FirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

@Suite struct PNGRowsTests {
    private let ramp = HandmadePNG(
        width: 9, height: 7, colorType: 2, rows: (0..<7).map { y in (0..<27).map { UInt8(y * 30 + $0) } })

    @Test func `rows are returned as they arrive`() throws {
        let whole = try packed(session(ramp.data).decode(straight()))
        let session = try openSession(ramp.data)
        var shown = 0
        for byte in ramp.data {
            try session.append(Data([byte]))
            guard let bitmap = try session.preview(straight()) else { continue }
            let pixels = packed(bitmap)
            let rows = (0..<7).prefix { pixels[$0 * 36 + 3] == 255 }.count
            #expect(rows >= shown)
            shown = rows
            #expect(pixels[..<(rows * 36)] == whole[..<(rows * 36)])
            #expect(pixels[(rows * 36)...].allSatisfy { $0 == 0 })
        }
        #expect(shown == 7)
    }

    /// The last bytes of a plain image stand for thousands of pixels, which are inflated after the bytes were read.
    @Test(arguments: [2, 4, 16, 200, 2000])
    func `an image with one color at its end is read to its last row`(colors: Int) throws {
        let width = 2048
        let bytes = [2: 256, 4: 512, 16: 1024, 200: 2048][colors] ?? 3 * width
        // As many rows as are inflated at once.
        let rows = (128 << 10) / (bytes + 1)
        for height in [rows - 1, rows, rows + 1, rows + 2, rows + 4, rows + 9, 2 * rows + 1, 2 * rows + 4] {
            let bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .rgb8) { pixels in
                for y in 0..<height {
                    memset(pixels.row(y), 0, 3 * width)
                    guard y == 0 else { continue }
                    for x in 0..<colors {
                        pixels.row(0).storeBytes(of: UInt8(x & 255), toByteOffset: 3 * x, as: UInt8.self)
                        pixels.row(0).storeBytes(of: UInt8(x >> 8), toByteOffset: 3 * x + 1, as: UInt8.self)
                    }
                }
            }
            let file = try PNGEncoder().encode(bitmap)
            #expect(try packed(session(file).decode(straight())).count == 4 * width * height, "\(height) rows")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `pixels that end where the buffer does are too few, and do not hang`() throws {
        let rows = (128 << 10) / 2049
        let png = HandmadePNG(
            width: 2048, height: rows + 1, colorType: 0,
            rows: Array(repeating: [UInt8](repeating: 7, count: 2048), count: rows))
        // The same rows compressed, with the header of one more.
        let bitmap = try Bitmap(size: PixelSize(width: 43_000, height: 1), format: .rgb8) { pixels in
            for x in 0..<43_000 {
                pixels.row(0).storeBytes(of: UInt8(x & 255), toByteOffset: 3 * x, as: UInt8.self)
                pixels.row(0).storeBytes(of: UInt8(x >> 8), toByteOffset: 3 * x + 1, as: UInt8.self)
                pixels.row(0).storeBytes(of: 0, toByteOffset: 3 * x + 2, as: UInt8.self)
            }
        }
        var compressed = try PNGEncoder().encode(bitmap)
        compressed[23] = 2
        compressed.replaceSubrange(8..<33, with: HandmadePNG.chunk("IHDR", Array(compressed[16..<29])))
        for (file, rows) in [(png.data, rows), (compressed, 1)] {
            let error = #expect(throws: ImageError.self) { try session(file).decode(straight()) }
            #expect(error?.message == "has pixels for \(rows) rows of \(rows + 1)")
        }
    }

    @Test func `passes fill the image from the first pixel on`() throws {
        var png = ramp
        png.isInterlaced = true
        #expect(try session(png.data).properties()?.isProgressive == true)
        let whole = try packed(session(ramp.data).decode(straight()))
        #expect(try packed(session(png.data).decode(straight())) == whole)
        let session = try openSession(png.data)
        var filled: [Int] = []
        for byte in png.data {
            try session.append(Data([byte]))
            guard let bitmap = try session.preview(straight()) else { continue }
            let pixels = packed(bitmap)
            filled.append(stride(from: 3, to: pixels.count, by: 4).count { pixels[$0] == 255 })
        }
        #expect(filled == filled.sorted())
        // The two pixels of the first pass cover eight columns and one, and seven rows.
        #expect(filled.contains(63) && (filled.firstIndex(of: 63) ?? 99) < filled.count / 2)
    }

    @Test(arguments: [0, 2, 3, 6], [false, true])
    func `averages are the same in every layout`(colorType: Int, isInterlaced: Bool) throws {
        let channels = [2: 3, 6: 4][colorType] ?? 1
        let mask = colorType == 3 ? 3 : 255
        func sample(_ x: Int, _ y: Int) -> UInt8 {
            let product = (x + y * 7) * (x + y)
            return UInt8(product / 3 & mask)
        }
        let rows = (0..<43).map { y in (0..<61 * channels).map { x in sample(x, y) } }
        var png = HandmadePNG(width: 61, height: 43, colorType: colorType, rows: rows)
        if colorType == 3 { png.before = [("PLTE", [0, 9, 250, 80, 20, 5, 255, 254, 1, 7, 130, 60])] }
        png.isInterlaced = isInterlaced
        func averages(_ format: PixelFormat) throws -> [[UInt8]] {
            var options = straight()
            options.pixelFormat = format
            options.targetSize = TargetSize(width: 6, height: 4, mode: .fill)
            let bitmap = try session(png.data).decode(options)
            #expect(bitmap.size.width < 20 && bitmap.isOpaque == (colorType != 6))
            let bytes = packed(bitmap)
            let step = format.bytesPerPixel
            return stride(from: 0, to: bytes.count, by: step).map { Array(bytes[$0..<$0 + step]) }
        }
        let all = try averages(.rgba8Straight)
        if colorType != 6 {
            #expect(try averages(.rgb8).map { $0 + [255] } == all)
            #expect(try averages(.bgra8Premultiplied).map { [$0[2], $0[1], $0[0], $0[3]] } == all)
        }
        #expect(Set(all).count > 10)
    }

    @Test func `16 bits are returned if requested`() throws {
        let png = HandmadePNG(width: 1, height: 1, depth: 16, colorType: 2, rows: [[1, 255, 2, 254, 3, 253]])
        var options = straight()
        options.pixelFormat = .rgba16Straight
        let words = try session(png.data).decode(options).withUnsafeBytes { bytes in
            (0..<4).map { bytes.load(fromByteOffset: $0 * 2, as: UInt16.self) }
        }
        #expect(words == [0x01FF, 0x02FE, 0x03FD, 0xFFFF])
    }

    @Test func `rows that decompress from few bytes are all returned`() throws {
        // A thousand rows come from one piece of compressed bytes, more than are taken at once.
        let blank = try Bitmap(size: PixelSize(width: 700, height: 1_000), format: .rgb8) { _ in }
        let data = try PNGEncoder(compressionLevel: 9).encode(blank)
        #expect(data.count < 10_000)
        let bitmap = try session(data).decode(DecodingOptions())
        #expect(bitmap.isOpaque)
        #expect(packed(bitmap).prefix(4) == [0, 0, 0, 255] && packed(bitmap).suffix(4) == [0, 0, 0, 255])
        let partial = try openSession(data)
        try partial.append(data.prefix(data.count / 2))
        #expect(try partial.advance(straight()) == false)
        #expect(try partial.preview(straight()) != nil)
        try partial.append(data.dropFirst(data.count / 2))
        #expect(try partial.advance(straight()))
    }

    @Test func `rows before damage are returned if allowed`() throws {
        var options = straight()
        options.allowsPartial = true
        let pixels = try packed(session(ramp.data.prefix(140)).decode(options))
        let whole = try packed(session(ramp.data).decode(straight()))
        #expect(pixels.prefix(36) == whole.prefix(36))
        #expect(pixels.suffix(36).allSatisfy { $0 == 0 })
    }
}
