internal import CFirnProcessing

/// Mixes the sums of one row into the pixels of a new row, and rounds.
struct HorizontalPass {
    private let taps: Int
    private let starts: [Int]
    private let weights: [Float]

    /// - Parameter scale: the factor of every sum; exact, because it is a power of two.
    init(_ windows: FilterWindows, scale: Float) {
        taps = windows.taps
        starts = windows.starts
        weights = windows.weights.map { Float($0) * scale }
    }

    /// The number of pixels of a new row.
    var count: Int { starts.count }

    /// Mixes a row's sums into `count` new pixels of four floats. With three channels, reads one number beyond the last
    /// sum.
    func mix(_ sums: UnsafePointer<Float>, channels: Int, into pixels: UnsafeMutablePointer<Float>) {
        weights.withUnsafeBufferPointer { weights in
            starts.withUnsafeBufferPointer { starts in
                firn_mix_pixels(
                    sums, channels, starts.baseAddress, weights.baseAddress, taps, pixels, starts.count)
            }
        }
    }

    /// Writes a row of bytes: four per pixel, multiplied by alpha, or three. `pixels` has room for the row as floats.
    ///
    /// Filters with negative weights can make a color larger than its alpha, which is invalid; the color is clamped to
    /// alpha.
    func writeBytes(
        _ sums: UnsafePointer<Float>, channels: Int, by pixels: UnsafeMutablePointer<Float>,
        to row: UnsafeMutableRawPointer
    ) {
        mix(sums, channels: channels, into: pixels)
        firn_store_sums8(pixels, channels, row.assumingMemoryBound(to: UInt8.self), count)
    }

    /// Writes a row of straight pixels from sums of ``WeightedVerticalPass``, which it divides by alpha.
    ///
    /// - Parameter Component: the type of a component, of 8 or 16 bits.
    @inline(__always)
    func writeStraight<Component: FixedWidthInteger & SIMDScalar>(
        _: Component.Type, _ sums: UnsafePointer<Float>, to row: UnsafeMutableRawPointer
    ) {
        let most = Float(Component.max)
        forEachPixel(sums) { x, sum in
            let pixel = SIMD4<Component>(truncatingIfNeeded: HorizontalPass.straight(sum, most: most))
            row.storeBytes(of: pixel, toByteOffset: MemoryLayout<SIMD4<Component>>.size &* x, as: SIMD4<Component>.self)
        }
    }

    /// Writes a row of half floats multiplied by alpha. Colors may exceed 0...1; alpha is clamped.
    func writeHalves(_ sums: UnsafePointer<Float>, to row: UnsafeMutableRawPointer) {
        forEachPixel(sums) { x, sum in
            var pixel = sum
            if !(sum.w > 0) {
                pixel = SIMD4()
            } else if sum.w > 1 {
                pixel.w = 1
            }
            row.storeBytes(of: HalfFloats.halves(pixel), toByteOffset: 8 &* x, as: SIMD4<UInt16>.self)
        }
    }

    @inline(__always)
    private func forEachPixel(_ sums: UnsafePointer<Float>, _ body: (Int, SIMD4<Float>) -> Void) {
        let sums = UnsafeRawPointer(sums)
        weights.withUnsafeBufferPointer { weights in
            starts.withUnsafeBufferPointer { starts in
                guard var weight = weights.baseAddress else { return }
                for x in 0..<starts.count {
                    var pixel = sums + 16 &* starts[x]
                    // Two independent chains of additions, because each addition depends on the previous one.
                    var even = SIMD4<Float>()
                    var odd = SIMD4<Float>()
                    var tap = 0
                    while tap &+ 1 < taps {
                        even += pixel.loadUnaligned(as: SIMD4<Float>.self) * weight[tap]
                        odd += pixel.loadUnaligned(fromByteOffset: 16, as: SIMD4<Float>.self) * weight[tap &+ 1]
                        pixel += 32
                        tap &+= 2
                    }
                    if tap < taps { even += pixel.loadUnaligned(as: SIMD4<Float>.self) * weight[tap] }
                    body(x, even + odd)
                    weight += taps
                }
            }
        }
    }

    /// Divides a sum by its alpha, clamps it to `0...most` and rounds it; becomes 0 if alpha rounds to 0.
    ///
    /// - Returns: the components in the low 16 bits of each number; the bits above have no meaning.
    @inline(__always)
    private static func straight(_ sum: SIMD4<Float>, most: Float) -> SIMD4<UInt32> {
        let alpha = min(sum.w, most)
        guard alpha >= 0.5 else { return SIMD4<UInt32>() }
        var color = sum / sum.w
        color.w = alpha
        color.replace(with: SIMD4<Float>(), where: color .< SIMD4<Float>())
        color.replace(with: SIMD4(repeating: most), where: color .> SIMD4(repeating: most))
        // Adding 2^23 leaves the rounded number in the low bits, because neighboring floats there are 1 apart.
        return unsafeBitCast(color + 0x1p23, to: SIMD4<UInt32>.self)
    }
}
