import FirnImage
import FirnProcessing
import Glibc
import Testing

/// Blurring and sharpening against a Gaussian in double precision.
@Suite struct BlurProcessorTests {
    /// A Gaussian, not cut before it counts for nothing; the outermost pixels go on beyond the edges.
    private func blurred(_ picture: PlainPicture, _ radius: Double) -> PlainPicture {
        let reach = Int((6 * radius).rounded(.up))
        let kernel = (-reach...reach).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
        let sum = kernel.reduce(0, +)
        func mix(_ pixel: (Int) -> SIMD4<Double>) -> SIMD4<Double> {
            kernel.enumerated().reduce(SIMD4()) { $0 + pixel($1.offset - reach) * ($1.element / sum) }
        }
        let across = PlainPicture(picture.size) { x, y in mix { picture.clamped(x + $0, y) } }
        return PlainPicture(picture.size) { x, y in mix { across.clamped(x, y + $0) } }
    }

    private static let sizes = [(1, 1), (2, 9), (23, 17)].map { PixelSize(width: $0.0, height: $0.1) }

    @Test(arguments: PixelFormat.allCases, [0.3, 1.0, 3.0])
    func `Up to 3 pixels it is the Gaussian`(format: PixelFormat, radius: Double) throws {
        for size in Self.sizes {
            let source = try Bitmap.test(size, format)
            let result = try ImageProcessors.GaussianBlur(radius: radius).apply(source)
            let expected = blurred(PlainPicture(source), radius)
            #expect(try #require(PlainPicture(result).difference(expected)) < 1)
            #expect(result.isValid && result.format == format && result.isOpaque == source.isOpaque)
        }
    }

    @Test(arguments: PixelFormat.allCases, [3.5, 8.0])
    func `Above three boxes come near to it, even in noise`(format: PixelFormat, radius: Double) throws {
        for size in Self.sizes {
            let source = try Bitmap.test(size, format)
            let result = try ImageProcessors.GaussianBlur(radius: radius).apply(source)
            let expected = blurred(PlainPicture(source), radius)
            #expect(try #require(PlainPicture(result).difference(expected)) < 4)
            #expect(result.isValid && result.format == format && result.isOpaque == source.isOpaque)
        }
    }

    @Test func `The kernel of three boxes differs from the Gaussian by 6 per cent of its peak`() throws {
        for radius in [3.01, 8, 12.3] {
            let side = 2 * Int(6 * radius) + 1
            let source = try Bitmap(size: PixelSize(width: side, height: 1), format: .rgba16Straight, isOpaque: true) {
                pixels in
                for x in 0..<side {
                    let value: UInt16 = x == side / 2 ? 65_535 : 0
                    for channel in 0..<4 {
                        pixels.row(0).storeBytes(
                            of: channel == 3 ? 65_535 : value, toByteOffset: 8 * x + 2 * channel, as: UInt16.self)
                    }
                }
            }
            let result = PlainPicture(try ImageProcessors.GaussianBlur(radius: radius).apply(source))
            let exact = blurred(PlainPicture(source), radius)
            let peak = exact[side / 2, 0].x
            let largest = zip(result.pixels, exact.pixels).map { abs($0.x - $1.x) }.max() ?? 1
            #expect(largest / peak < 0.06)
            #expect(abs(result.pixels.reduce(0) { $0 + $1.x } - 1) < 0.002)
        }
    }

    @Test(arguments: [0.8, 3, 8], [PixelFormat.rgb8, .bgra8Premultiplied])
    func `Structural similarity with the Gaussian is at least 0.999`(radius: Double, format: PixelFormat) throws {
        let size = PixelSize(width: 96, height: 72)
        let source = try Bitmap.scene(size).converted(to: format)
        let result = PlainPicture(try ImageProcessors.GaussianBlur(radius: radius).apply(source))
        let exact = blurred(PlainPicture(source), radius)
        func values(_ picture: PlainPicture) -> [Double] {
            picture.pixels.flatMap { [$0.x * 255, $0.y * 255, $0.z * 255] }
        }
        #expect(structuralSimilarity(values(result), values(exact), size: size, channels: 3) >= 0.999)
    }

    @Test func `A flat picture stays flat, however wide the blur`() throws {
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
    func `Sharpening adds what blurring takes away`(format: PixelFormat, radius: Double) throws {
        let source = try Bitmap.test(PixelSize(width: 20, height: 15), format)
        let amount = 0.8
        let result = try ImageProcessors.Sharpen(amount: amount, radius: radius).apply(source)
        let plain = PlainPicture(source)
        let soft = blurred(plain, radius)
        let expected = PlainPicture(source.size) { x, y in
            let pixel = plain[x, y]
            var sharp = pixel + (pixel - soft[x, y]) * amount
            sharp.w = pixel.w
            // A colour without alpha is nothing that can be kept.
            if pixel.w == 0 { return SIMD4() }
            guard format != .rgbaHalfPremultiplied else { return sharp }
            return pointwiseMin(pointwiseMax(sharp, SIMD4()), SIMD4(repeating: pixel.w))
        }
        let seen = PlainPicture(result)
        #expect(try #require(seen.difference(expected)) < (radius > 3 ? 4 : 2))
        #expect(zip(seen.pixels, plain.pixels).allSatisfy { $0.w == $1.w })
        #expect(result.isValid)
        #expect(try ImageProcessors.Sharpen(amount: 0).apply(source).packedBytes == source.packedBytes)
    }
}
