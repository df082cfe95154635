import FirnImage
import FirnProcessing
import Testing

/// Compares the fixed-point resize with one in double precision.
@Suite struct ResizeQualityTests {
    static let sizes: [(PixelSize, PixelSize)] = [
        (PixelSize(width: 64, height: 48), PixelSize(width: 32, height: 24)),
        (PixelSize(width: 61, height: 43), PixelSize(width: 32, height: 17)),
        (PixelSize(width: 40, height: 30), PixelSize(width: 97, height: 71)),
        (PixelSize(width: 200, height: 150), PixelSize(width: 3, height: 2)),
        (PixelSize(width: 33, height: 65), PixelSize(width: 33, height: 9)),
        (PixelSize(width: 1, height: 7), PixelSize(width: 5, height: 2)),
        (PixelSize(width: 2, height: 2), PixelSize(width: 1, height: 1)),
    ]

    @Test(arguments: ResizeFilter.allCases, sizes)
    func `At most one level from the exact result, in every filter`(filter: ResizeFilter, sizes: (PixelSize, PixelSize))
        throws
    {
        for format in [PixelFormat.bgra8Premultiplied, .rgb8] {
            let source = try Bitmap.noise(sizes.0, format: format, seed: 5)
                .premultipliedIfNeeded()
            let result = try source.resized(to: sizes.1, filter: filter)
            let exact = referenceResize(source, to: sizes.1, filter: filter)
            #expect(result.size == sizes.1)
            var largest = 0.0
            for (index, byte) in result.packedBytes.enumerated() {
                var expected = min(max(exact[index], 0), 255)
                if format.hasAlpha { expected = min(expected, max(0, exact[index - index % 4 + 3])) }
                largest = max(largest, abs(Double(byte) - expected))
            }
            // Rounding accounts for half a level.
            #expect(largest <= 1)
        }
    }

    @Test(arguments: ResizeFilter.allCases)
    func `Straight colors count by their alpha`(filter: ResizeFilter) throws {
        let size = PixelSize(width: 50, height: 41)
        let target = PixelSize(width: 23, height: 19)
        let source = try Bitmap.noise(size, format: .rgba8Straight, seed: 21)
        let result = try source.resized(to: target, filter: filter).packedBytes
        let exact = referenceResize(source, to: target, filter: filter)
        for index in result.indices {
            let alpha = exact[index - index % 4 + 3]
            let value = index % 4 == 3 ? alpha : alpha < 0.5 ? 0 : exact[index] * 255 / alpha
            #expect(abs(Double(result[index]) - min(max(value, 0), 255)) <= 1, "byte \(index)")
        }
    }

    @Test(arguments: ResizeFilter.allCases)
    func `The color of invisible pixels does not bleed`(filter: ResizeFilter) throws {
        // Transparent red beside opaque green: all visible pixels of the result are green.
        let source = try Bitmap(size: PixelSize(width: 40, height: 8), format: .rgba8Straight) { pixels in
            for y in 0..<8 {
                for x in 0..<40 {
                    let pixel = x < 21 ? SIMD4<UInt8>(255, 0, 0, 0) : SIMD4<UInt8>(0, 255, 0, 255)
                    pixels.row(y).storeBytes(of: pixel, toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                }
            }
        }
        for pixel in try source.resized(to: PixelSize(width: 11, height: 3), filter: filter).pixels {
            #expect(pixel[3] == 0 ? pixel == [0, 0, 0, 0] : pixel[0] == 0 && pixel[1] == 255)
        }
    }

    @Test(arguments: ResizeFilter.allCases)
    func `Structural similarity with the exact result is at least 0.999`(filter: ResizeFilter) throws {
        let source = try Bitmap.scene(PixelSize(width: 160, height: 120))
        let target = PixelSize(width: 75, height: 56)
        let result = try source.resized(to: target, filter: filter)
        let exact = referenceResize(source, to: target, filter: filter).map { min(max($0, 0), 255) }
        let similarity = structuralSimilarity(result.packedBytes.map(Double.init), exact, size: target, channels: 3)
        #expect(similarity >= 0.999)
    }

    @Test(arguments: ResizeFilter.allCases)
    func `Opaque images stay opaque`(filter: ResizeFilter) throws {
        let source = try Bitmap.noise(PixelSize(width: 97, height: 53), format: .rgb8, seed: 8)
        for format in [PixelFormat.bgra8Premultiplied, .rgba8Straight] {
            for size in [PixelSize(width: 40, height: 31), PixelSize(width: 113, height: 120)] {
                let result = try source.converted(to: format).resized(to: size, filter: filter)
                #expect(result.isOpaque)
                #expect(result.pixels.allSatisfy { $0[3] == 255 })
            }
        }
    }

    @Test(arguments: ResizeFilter.allCases)
    func `An image of one color keeps it`(filter: ResizeFilter) throws {
        for color in [SIMD4<UInt8>(0, 1, 2, 3), SIMD4(127, 128, 200, 201), SIMD4(255, 255, 255, 255)] {
            for format in [PixelFormat.bgra8Premultiplied, .rgba8Straight] {
                let source = try Bitmap(size: PixelSize(width: 37, height: 29), format: format) { pixels in
                    for y in 0..<29 {
                        for x in 0..<37 {
                            pixels.row(y).storeBytes(of: color, toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                        }
                    }
                }
                for size in [PixelSize(width: 17, height: 11), PixelSize(width: 80, height: 60)] {
                    let result = try source.resized(to: size, filter: filter)
                    let expected = [color.x, color.y, color.z, color.w]
                    #expect(result.pixels.allSatisfy { $0 == expected })
                }
            }
        }
    }

    @Test(arguments: ResizeFilter.allCases)
    func `No color is larger than its alpha`(filter: ResizeFilter) throws {
        let source = try Bitmap.noise(PixelSize(width: 90, height: 70), format: .bgra8Premultiplied, seed: 2)
            .premultipliedIfNeeded()
        for size in [PixelSize(width: 41, height: 37), PixelSize(width: 150, height: 99)] {
            let pixels = try source.resized(to: size, filter: filter).pixels
            #expect(pixels.allSatisfy { max($0[0], $0[1], $0[2]) <= $0[3] })
        }
    }
}
