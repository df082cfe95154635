import FirnImage
import FirnProcessing
import Testing

/// Compares crop, pad, rotate, flip and shapes with plain loops.
@Suite struct GeometryProcessorTests {
    private static let sizes = [(1, 1), (1, 7), (5, 1), (19, 13)].map { PixelSize(width: $0.0, height: $0.1) }

    @Test(arguments: PixelFormat.allCases, sizes)
    func `A crop returns the pixels of its rectangle`(format: PixelFormat, size: PixelSize) throws {
        let source = try Bitmap.test(size, format)
        let plain = PlainImage(source)
        let width = max(1, size.width / 2)
        let height = max(1, size.height / 3)
        let (x, y) = (size.width - width, (size.height - height) / 2)
        let result = try ImageProcessors.Crop(x: x, y: y, width: width, height: height).apply(source)
        let expected = PlainImage(PixelSize(width: width, height: height)) { plain[$0 + x, $1 + y] }
        #expect(PlainImage(result).difference(expected) == 0)
        #expect(result.format == format)
        // A rectangle beyond the image is clipped.
        let over = try ImageProcessors.Crop(x: -3, y: -2, width: Int.max, height: Int.max).apply(source)
        #expect(over.size == size)
    }

    @Test func `Anchors choose the side that is kept`() throws {
        let source = try Bitmap.labeled(["abc", "def", "ghi"], format: .rgb8)
        let expected: [(ImageProcessingOptions.Anchor, String)] = [
            (.topLeft, "a"), (.top, "b"), (.topRight, "c"), (.left, "d"), (.center, "e"), (.right, "f"),
            (.bottomLeft, "g"), (.bottom, "h"), (.bottomRight, "i"),
        ]
        for (anchor, label) in expected {
            let part = ImageProcessors.Crop(size: PixelSize(width: 1, height: 1), anchor: anchor)
            #expect(try part.apply(source).labels == [label], "\(anchor)")
            let padded = try ImageProcessors.Pad(to: PixelSize(width: 3, height: 3), anchor: anchor)
                .apply(try Bitmap.labeled([label], format: .bgra8Premultiplied))
            let place = Array("abcdefghi").firstIndex(of: Character(label)) ?? 0
            #expect(PlainImage(padded).pixels.firstIndex { $0.w == 1 } == place)
        }
    }

    @Test func `Attention keeps the salient part`() throws {
        // Gray, with a patch of strong colors and edges near one end.
        for isAtEnd in [false, true] {
            let source = try Bitmap(size: PixelSize(width: 300, height: 60), format: .rgb8) { pixels in
                for y in 0..<60 {
                    for x in 0..<300 {
                        let place = isAtEnd ? x - 230 : x - 20
                        let isPatch = (0..<40).contains(place) && (10..<50).contains(y)
                        let color: [UInt8] =
                            isPatch ? ((x / 4 + y / 4) % 2 == 0 ? [220, 40, 30] : [20, 30, 200]) : [120, 120, 120]
                        for channel in 0..<3 {
                            pixels.row(y).storeBytes(of: color[channel], toByteOffset: 3 * x + channel, as: UInt8.self)
                        }
                    }
                }
            }
            let part = try ImageProcessors.Resize(
                size: PixelSize(width: 60, height: 60), mode: .fill, crop: true, anchor: .attention
            ).apply(source)
            let colorful = PlainImage(part).pixels.count { abs($0.x - $0.z) > 0.3 }
            #expect(part.size == PixelSize(width: 60, height: 60))
            #expect(colorful > 1200)
        }
    }

    @Test(arguments: PixelFormat.allCases, sizes)
    func `Padding adds the color around the image`(format: PixelFormat, size: PixelSize) throws {
        let source = try Bitmap.test(size, format)
        let color = SRGBColor(red: 200, green: 100, blue: 50, alpha: format == .rgb8 ? 255 : 128)
        let result = try ImageProcessors.Pad(top: 2, left: 3, bottom: 1, right: 5, color: color).apply(source)
        let plain = PlainImage(source)
        let one = try ImageProcessors.Pad(to: PixelSize(width: 1, height: size.height + 1), color: color).apply(source)
        #expect(one.size == PixelSize(width: size.width, height: size.height + 1))
        #expect(result.size == PixelSize(width: size.width + 8, height: size.height + 3))
        let all = PlainImage(result)
        for y in 0..<size.height { for x in 0..<size.width { #expect(all[x + 3, y + 2] == plain[x, y]) } }
        let alpha = Double(color.alpha) / 255
        let expected =
            format == .rgbaHalfPremultiplied
            ? nil : SIMD4(200 / 255 * alpha, 100 / 255 * alpha, 50 / 255 * alpha, alpha)
        if let expected { #expect((all[0, 0] - expected).max() * 255 < 0.51) }
        #expect(all[0, 0] == all[size.width + 7, size.height + 2])
        #expect(result.isOpaque == (format == .rgb8))
        let clear = try ImageProcessors.Pad(right: 1).apply(source)
        #expect(clear.format.hasAlpha && PlainImage(clear)[size.width, 0] == SIMD4())
    }

    @Test(arguments: PixelFormat.allCases, sizes)
    func `Rotations and reflections move pixels`(format: PixelFormat, size: PixelSize) throws {
        let source = try Bitmap.test(size, format)
        let plain = PlainImage(source)
        let (w, h) = (size.width, size.height)
        let cases: [(any ImageProcessing, PlainImage)] = [
            (ImageProcessors.Rotate(.right), PlainImage(size.transposed) { plain[$1, h - 1 - $0] }),
            (ImageProcessors.Rotate(.left), PlainImage(size.transposed) { plain[w - 1 - $1, $0] }),
            (ImageProcessors.Rotate(.half), PlainImage(size) { plain[w - 1 - $0, h - 1 - $1] }),
            (ImageProcessors.Flip(), PlainImage(size) { plain[w - 1 - $0, $1] }),
            (ImageProcessors.Flip(.vertical), PlainImage(size) { plain[$0, h - 1 - $1] }),
        ]
        for (processor, expected) in cases {
            #expect(PlainImage(try processor.apply(source)).difference(expected) == 0, "\(processor.identifier)")
        }
    }

    /// Returns the share of a pixel that is inside, counted on a grid of 16 × 16.
    private func share(_ x: Int, _ y: Int, _ size: PixelSize, _ radii: [Double], inset: Double = 0) -> Double {
        var inside = 0
        for row in 0..<16 {
            for column in 0..<16 {
                let px = Double(x) + (Double(column) + 0.5) / 16
                let py = Double(y) + (Double(row) + 0.5) / 16
                let (w, h) = (Double(size.width), Double(size.height))
                guard px > inset, px < w - inset, py > inset, py < h - inset else { continue }
                var isIn = true
                for (index, radius) in radii.enumerated() {
                    let cx = index % 2 == 0 ? radius : w - radius
                    let cy = index < 2 ? radius : h - radius
                    let isCorner = (index % 2 == 0 ? px < cx : px > cx) && (index < 2 ? py < cy : py > cy)
                    let rest = radius - inset
                    if isCorner, (px - cx) * (px - cx) + (py - cy) * (py - cy) > rest * rest, radius > 0 {
                        isIn = false
                    }
                }
                if isIn { inside += 1 }
            }
        }
        return Double(inside) / 256
    }

    @Test(arguments: PixelFormat.allCases)
    func `Round corners cover as much of each pixel as is inside, and the border the rest`(format: PixelFormat) throws {
        let size = PixelSize(width: 31, height: 24)
        let radii = [9.0, 0, 5.5, 12]
        let color = SRGBColor(red: 255, green: 255, blue: 255, alpha: 255)
        for width in [0.0, 2.5] {
            let border = width > 0 ? ImageProcessingOptions.Border(color: color, width: width) : nil
            let source = try Bitmap.test(size, format)
            let plain = PlainImage(source)
            let result = try ImageProcessors.RoundedCorners(
                topLeft: radii[0], topRight: radii[1], bottomLeft: radii[2], bottomRight: radii[3], border: border
            ).apply(source)
            let expected = PlainImage(size) { x, y in
                let outer = share(x, y, size, radii)
                let inner = width > 0 ? share(x, y, size, radii, inset: width) : outer
                return plain[x, y] * inner + SIMD4(repeating: 1) * (outer - inner)
            }
            let difference = try #require(PlainImage(result).difference(expected))
            // Both count lines; the two counts differ by a few thousandths of a pixel.
            #expect(difference < 8)
            #expect(result.isValid && !result.isOpaque && result.format.hasAlpha)
            #expect(result.format == (format == .rgb8 ? .bgra8Premultiplied : format))
        }
    }

    @Test func `A circle has the area of a circle, and is square`() throws {
        for (width, height) in [(61, 40), (21, 21), (1, 1), (2, 5)] {
            let source = try Bitmap(size: PixelSize(width: width, height: height), format: .rgb8) { pixels in
                for y in 0..<height {
                    for x in 0..<3 * width { pixels.row(y).storeBytes(of: 255, toByteOffset: x, as: UInt8.self) }
                }
            }
            let result = try ImageProcessors.Circle().apply(source)
            let side = Double(min(width, height))
            #expect(result.size == PixelSize(width: min(width, height), height: min(width, height)))
            let area = PlainImage(result).pixels.reduce(0) { $0 + $1.w }
            #expect(abs(area - Double.pi * side * side / 4) < 0.01 * side * side + 0.01)
        }
    }

    @Test func `Radii that would overlap are reduced together`() throws {
        let source = try Bitmap.test(PixelSize(width: 20, height: 10), .bgra8Premultiplied)
        let huge = try ImageProcessors.RoundedCorners(radius: 1000).apply(source)
        let half = try ImageProcessors.RoundedCorners(radius: 5).apply(source)
        #expect(huge.packedBytes == half.packedBytes)
        #expect(try ImageProcessors.RoundedCorners(radius: 0).apply(source).packedBytes == source.packedBytes)
    }
}
