import FirnImage
import FirnProcessing
import Testing

/// Images are drawn as text: `.` is the border, `#` content, `o` a color near the border's, ` ` a transparent pixel.
@Suite struct TrimTests {
    private func image(_ rows: [String], _ format: PixelFormat = .rgb8) throws -> Bitmap {
        try Bitmap.painted(PixelSize(width: rows[0].count, height: rows.count), format) { x, y in
            switch Array(rows[y])[x] {
            case "#": SIMD4(200, 30, 40, 255)
            case "o": SIMD4(108, 120, 130, 255)
            case "m": SIMD4(255, 0, 255, 255)
            case " ": SIMD4(0, 0, 0, 0)
            default: SIMD4(100, 120, 130, 255)
            }
        }
    }

    private static let framed = [
        ".........",
        "..####...",
        "..####...",
        "..####...",
        ".........",
        ".........",
    ]

    @Test(arguments: PixelFormat.allCases)
    func `The border goes, in every layout`(format: PixelFormat) throws {
        let source = try image(Self.framed, format)
        let result = try ImageProcessors.Trim().apply(source)
        #expect(result.size == PixelSize(width: 4, height: 3) && result.format == format)
        let expected = try ImageProcessors.Crop(x: 2, y: 1, width: 4, height: 3).apply(source)
        #expect(result.packedBytes == expected.packedBytes)
    }

    @Test(arguments: [(false, false, 4, 3), (true, false, 5, 3), (false, true, 4, 4), (true, true, 5, 4)])
    func `Opposite edges lose equally where that is asked`(
        horizontal: Bool, vertical: Bool, width: Int, height: Int
    ) throws {
        let trim = ImageProcessors.Trim(equalHorizontal: horizontal, equalVertical: vertical)
        for turn in [ImageProcessors.Rotate.Turn?.none, .half] {
            let source = try image(Self.framed)
            let turned = try turn.map { try ImageProcessors.Rotate($0).apply(source) } ?? source
            #expect(try trim.apply(turned).size == PixelSize(width: width, height: height))
        }
    }

    @Test func `Differences up to the tolerance belong to the border`() throws {
        let source = try image(["ooooooo", "ooooooo", ".......", "..###..", "..###..", "..###.."])
        // The border is the color of the first pixel, which is 8 levels from the other.
        for (tolerance, size) in [(8.0, PixelSize(width: 3, height: 3)), (7.9, PixelSize(width: 7, height: 4))] {
            #expect(try ImageProcessors.Trim(tolerance: tolerance).apply(source).size == size)
        }
    }

    @Test func `The color of the border can be named`() throws {
        let source = try image(["###....", "###....", "###...."])
        let border = SRGBColor(red: 100, green: 120, blue: 130, alpha: 3)
        #expect(try ImageProcessors.Trim(color: border).apply(source).size == PixelSize(width: 3, height: 3))
        #expect(try ImageProcessors.Trim().apply(source).size == PixelSize(width: 4, height: 3))
        #expect(try ImageProcessors.Trim(color: .white).apply(source).size == source.size)
    }

    @Test func `An image of border alone stays whole`() throws {
        for rows in [["."], ["....", "....", "...."], ["o.o.o.o", ".o.o.o."]] {
            let source = try image(rows)
            for equal in [false, true] {
                let trim = ImageProcessors.Trim(equalHorizontal: equal, equalVertical: equal)
                #expect(try trim.apply(source).packedBytes == source.packedBytes)
            }
        }
    }

    @Test func `Specks and lines of one pixel are no content, unless they are kept`() throws {
        let source = try image([
            ".#.........",
            "...........",
            "...........",
            "...###.....",
            "...###.....",
            "...###.....",
            "...........",
            "...........",
            "##########.",
            "...........",
        ])
        #expect(try ImageProcessors.Trim().apply(source).size == PixelSize(width: 3, height: 3))
        #expect(try ImageProcessors.Trim(keepsLines: true).apply(source).size == PixelSize(width: 10, height: 9))
        // Only specks: nothing is content, so all stays.
        let specks = try image([".#...", ".....", "...#."])
        #expect(try ImageProcessors.Trim().apply(specks).size == specks.size)
        #expect(try ImageProcessors.Trim(keepsLines: true).apply(specks).size == PixelSize(width: 3, height: 3))
    }

    @Test func `Transparent pixels count as magenta`() throws {
        let clear = try image(["       ", "  ###  ", "  ###m ", "  ###  ", "       "], .bgra8Premultiplied)
        #expect(try ImageProcessors.Trim(keepsLines: true).apply(clear).size == PixelSize(width: 3, height: 3))
        let magenta = SRGBColor(red: 255, green: 0, blue: 255)
        #expect(try ImageProcessors.Trim(color: magenta).apply(clear).size == PixelSize(width: 3, height: 3))
    }

    @Test func `A median of nine pixels decides, as in an exhaustive search`() throws {
        for seed in 0..<40 {
            // Few colors, so that medians differ from pixels in all ways.
            let noise = try Bitmap.noise(PixelSize(width: 9, height: 8), format: .rgb8, seed: UInt64(seed))
            let source = try Bitmap(size: noise.size, format: .rgb8) { pixels in
                noise.withUnsafeBytes { bytes in
                    for y in 0..<8 {
                        for x in 0..<27 {
                            let byte = bytes[y * noise.bytesPerRow + x]
                            pixels.row(y).storeBytes(
                                of: byte < 90 ? 60 : byte > 245 ? 200 : 100, toByteOffset: x, as: UInt8.self)
                        }
                    }
                }
            }
            let result = try ImageProcessors.Trim(
                tolerance: 20, color: SRGBColor(red: 100, green: 100, blue: 100)
            ).apply(source)
            #expect(try result.packedBytes == reference(source).packedBytes, "seed \(seed)")
        }
    }

    private func reference(_ image: Bitmap) throws -> Bitmap {
        let pixels = image.pixels
        let (width, height) = (image.size.width, image.size.height)
        var found: [(x: Int, y: Int)] = []
        for y in 0..<height {
            for x in 0..<width {
                let medians = (0..<3).map { channel in
                    let around = (-1...1).flatMap { down in
                        (-1...1).map { across in
                            let column = min(max(x + across, 0), width - 1)
                            return Int(pixels[min(max(y + down, 0), height - 1) * width + column][channel])
                        }
                    }
                    return around.sorted()[4]
                }
                if medians.contains(where: { abs($0 - 100) > 20 }) { found.append((x, y)) }
            }
        }
        guard let left = found.map(\.x).min(), let right = found.map(\.x).max(), let top = found.map(\.y).min(),
            let bottom = found.map(\.y).max()
        else { return image }
        return try ImageProcessors.Crop(x: left, y: top, width: right - left + 1, height: bottom - top + 1).apply(image)
    }
}
