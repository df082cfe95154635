import CFirnProcessing
import FirnImage
import FirnSystem
import Testing

@testable import FirnProcessing

/// Compares blurring and sharpening with a Gaussian in double precision.
@Suite struct BlurProcessorTests {
    /// Blurs with a Gaussian that is cut only where it is negligible; the edge pixels extend beyond the edges.
    private func blurred(_ image: PlainImage, _ radius: Double) -> PlainImage {
        let reach = Int((6 * radius).rounded(.up))
        let kernel = (-reach...reach).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
        let sum = kernel.reduce(0, +)
        func mix(_ pixel: (Int) -> SIMD4<Double>) -> SIMD4<Double> {
            kernel.enumerated().reduce(SIMD4()) { $0 + pixel($1.offset - reach) * ($1.element / sum) }
        }
        let across = PlainImage(image.size) { x, y in mix { image.clamped(x + $0, y) } }
        return PlainImage(image.size) { x, y in mix { across.clamped(x, y + $0) } }
    }

    private static let sizes = [(1, 1), (2, 9), (23, 17)].map { PixelSize(width: $0.0, height: $0.1) }

    @Test(arguments: PixelFormat.allCases, [0.3, 1.0, 3.0])
    func `Up to 3 pixels the blur is the exact Gaussian`(format: PixelFormat, radius: Double) throws {
        for size in Self.sizes {
            let source = try Bitmap.test(size, format)
            let result = try ImageProcessors.GaussianBlur(radius: radius).apply(source)
            let expected = blurred(PlainImage(source), radius)
            #expect(try #require(PlainImage(result).difference(expected)) < 1)
            #expect(result.isValid && result.format == format && result.isOpaque == source.isOpaque)
        }
    }

    @Test(arguments: PixelFormat.allCases, [3.01, 3.5, 8.0])
    func `Above 3 pixels boxes are within a level of the Gaussian`(format: PixelFormat, radius: Double) throws {
        for size in Self.sizes {
            let source = try Bitmap.test(size, format)
            let result = try ImageProcessors.GaussianBlur(radius: radius).apply(source)
            let expected = blurred(PlainImage(source), radius)
            #expect(try #require(PlainImage(result).difference(expected)) < (format == .rgba8Straight ? 1.3 : 1))
            #expect(result.isValid && result.format == format && result.isOpaque == source.isOpaque)
        }
    }

    @Test func `The kernel of boxes has the Gaussian's variance and is within 0.6 per cent of its peak`() {
        for radius in [3.01, 4.2, 8, 12.3, 50] {
            let kernel = boxKernel(GaussianBlurring.boxes(radius: radius))
            let reach = kernel.count / 2
            let gaussian = (-reach...reach).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
            let peak = 1 / gaussian.reduce(0, +)
            let largest = zip(kernel, gaussian).map { abs($0 - $1 * peak) }.max() ?? 1
            let variance = kernel.enumerated().reduce(0) {
                $0 + $1.element * Double(($1.offset - reach) * ($1.offset - reach))
            }
            #expect(largest / peak < 0.006)
            #expect(abs(kernel.reduce(0, +) - 1) < 1e-5 && abs(variance / (radius * radius) - 1) < 1e-5)
        }
    }

    /// Returns the kernel of the boxes: the blur of a single pixel.
    private func boxKernel(_ boxes: firn_blur) -> [Double] {
        func kernel(_ box: firn_box) -> [Double] {
            [Double(box.end)] + [Double](repeating: Double(box.inner), count: 2 * Int(box.radius) + 1) + [
                Double(box.end)
            ]
        }
        func convolved(_ a: [Double], _ b: [Double]) -> [Double] {
            var result = [Double](repeating: 0, count: a.count + b.count - 1)
            for (i, v) in a.enumerated() { for (j, w) in b.enumerated() { result[i + j] += v * w } }
            return result
        }
        let (even, wide, narrow) = (kernel(boxes.even), kernel(boxes.wide), kernel(boxes.narrow))
        var mixture = wide
        for (index, weight) in narrow.enumerated() { mixture[index + (wide.count - narrow.count) / 2] += weight }
        return convolved(convolved(even, even), mixture)
    }

    @Test(arguments: [PixelFormat.rgb8, .bgra8Premultiplied, .rgba16Straight], [4.0, 11])
    func `An image of several bands has no seams`(format: PixelFormat, radius: Double) throws {
        // Narrow and long, so that the bands are as short as the blur's reach allows.
        let source = try Bitmap.test(PixelSize(width: 5, height: 700), format)
        func blurred(bandBytes: Int) throws -> Bitmap {
            try Bitmap(size: source.size, format: format) { pixels in
                let target = TargetRows(pixels)
                let bands = BlurBands(
                    size: source.size, bytesPerRow: 40, boxes: GaussianBlurring.boxes(radius: radius), bytes: bandBytes)
                let run = ProcessingRun(name: "blur", context: ImageProcessingContext())
                try source.withRows { rows in
                    if format == .rgba16Straight {
                        try bands.runFloats(rows, target, run)
                    } else {
                        try bands.runBytes(rows, target, run)
                    }
                }
            }
        }
        let (one, several) = (PlainImage(try blurred(bandBytes: 1 << 20)), PlainImage(try blurred(bandBytes: 1)))
        // Sums that start elsewhere may round a value between two levels to the other level.
        #expect(try #require(one.difference(several)) < (format == .rgba16Straight ? 0.01 : 1.01))
        #expect(zip(one.pixels, several.pixels).filter { $0 != $1 }.count < (format == .rgba16Straight ? 3500 : 10))
    }

    @Test(arguments: [0.8, 3, 8], [PixelFormat.rgb8, .bgra8Premultiplied])
    func `Structural similarity with the Gaussian is at least 0.999`(radius: Double, format: PixelFormat) throws {
        let size = PixelSize(width: 96, height: 72)
        let source = try Bitmap.scene(size).converted(to: format)
        let result = PlainImage(try ImageProcessors.GaussianBlur(radius: radius).apply(source))
        let exact = blurred(PlainImage(source), radius)
        func values(_ image: PlainImage) -> [Double] {
            image.pixels.flatMap { [$0.x * 255, $0.y * 255, $0.z * 255] }
        }
        #expect(structuralSimilarity(values(result), values(exact), size: size, channels: 3) >= 0.999)
    }

    @Test func `A flat image stays flat, however wide the blur`() throws {
        for radius in [2, 7.7, 60, 1000] {
            let source = try Bitmap(size: PixelSize(width: 21, height: 5), format: .bgra8Premultiplied) { pixels in
                for y in 0..<5 {
                    for x in 0..<21 {
                        pixels.row(y).storeBytes(
                            of: SIMD4<UInt8>(10, 100, 3, 201), toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                    }
                }
            }
            #expect(try ImageProcessors.GaussianBlur(radius: radius).apply(source).packedBytes == source.packedBytes)
        }
        let source = try Bitmap.test(PixelSize(width: 4, height: 4), .rgb8)
        #expect(try ImageProcessors.GaussianBlur(radius: 0).apply(source).packedBytes == source.packedBytes)
    }

    @Test(arguments: PixelFormat.allCases, [1.0, 5])
    func `Sharpening adds the difference to the blurred image`(format: PixelFormat, radius: Double) throws {
        let source = try Bitmap.test(PixelSize(width: 20, height: 15), format)
        let amount = 0.8
        let result = try ImageProcessors.Sharpen(amount: amount, radius: radius).apply(source)
        let plain = PlainImage(source)
        let soft = blurred(plain, radius)
        let expected = PlainImage(source.size) { x, y in
            let pixel = plain[x, y]
            // The blurred color with the alpha of the pixel: straight colors are compared.
            let near = soft[x, y]
            var sharp = pixel + (pixel - near * (near.w > 0 ? pixel.w / near.w : 0)) * amount
            sharp.w = pixel.w
            // A color with alpha 0 cannot be preserved.
            if pixel.w == 0 { return SIMD4() }
            guard format != .rgbaHalfPremultiplied else { return sharp }
            return pointwiseMin(pointwiseMax(sharp, SIMD4()), SIMD4(repeating: pixel.w))
        }
        let seen = PlainImage(result)
        #expect(try #require(seen.difference(expected)) < 2)
        #expect(zip(seen.pixels, plain.pixels).allSatisfy { $0.w == $1.w })
        #expect(result.isValid)
        #expect(try ImageProcessors.Sharpen(amount: 0).apply(source).packedBytes == source.packedBytes)
    }
}
