internal import CFirnProcessing
internal import FirnImage

/// Mixes the sums of one row into the pixels of a new row and rounds them.
struct HorizontalPass {
    private let taps: Int
    private let starts: [Int]
    private let weights: [Float]

    /// - Parameter scale: the factor of every sum; a power of two, so that it is exact.
    init(_ windows: FilterWindows, scale: Float) {
        taps = windows.taps
        starts = windows.starts
        weights = windows.weights.map { Float($0) * scale }
    }

    /// The number of pixels of a new row.
    var count: Int { starts.count }

    /// Mixes a row's sums into `count` new pixels of four floats. Reads one number beyond the last sum of three
    /// channels.
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

    /// Writes a row of four-byte straight pixels from sums of ``WeightedVerticalPass``; divides them by alpha.
    func writeStraight(_ sums: UnsafePointer<Float>, to row: UnsafeMutableRawPointer) {
        forEachPixel(sums, channels: 4) { x, sum in
            let alpha = min(sum.w, 255)
            var pixel = SIMD4<UInt8>()
            if alpha >= 0.5 {
                var color = sum / sum.w
                color.w = alpha
                pixel = HorizontalPass.bytes(color, most: SIMD4(repeating: 255))
            }
            row.storeBytes(of: pixel, toByteOffset: 4 &* x, as: SIMD4<UInt8>.self)
        }
    }

    /// Writes a row of straight pixels of 16 bits per component from sums of ``WeightedVerticalPass``.
    func writeStraightWords(_ sums: UnsafePointer<Float>, to row: UnsafeMutableRawPointer) {
        forEachPixel(sums, channels: 4) { x, sum in
            let alpha = min(sum.w, 65_535)
            var pixel = SIMD4<UInt16>()
            if alpha >= 0.5 {
                var color = sum / sum.w
                color.w = alpha
                pixel = HorizontalPass.words(color)
            }
            row.storeBytes(of: pixel, toByteOffset: 8 &* x, as: SIMD4<UInt16>.self)
        }
    }

    /// Writes a row of half floats multiplied by alpha. Colors may exceed 0...1; alpha is clamped.
    func writeHalves(_ sums: UnsafePointer<Float>, to row: UnsafeMutableRawPointer) {
        forEachPixel(sums, channels: 4) { x, sum in
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
    private func forEachPixel(
        _ sums: UnsafePointer<Float>, channels: Int, _ body: (Int, SIMD4<Float>) -> Void
    ) {
        let sums = UnsafeRawPointer(sums)
        weights.withUnsafeBufferPointer { weights in
            starts.withUnsafeBufferPointer { starts in
                guard var weight = weights.baseAddress else { return }
                for x in 0..<starts.count {
                    var pixel = sums + 4 &* channels &* starts[x]
                    // Two independent chains of additions, because each addition depends on the one before.
                    var even = SIMD4<Float>()
                    var odd = SIMD4<Float>()
                    var tap = 0
                    while tap &+ 1 < taps {
                        even += pixel.loadUnaligned(as: SIMD4<Float>.self) * weight[tap]
                        odd +=
                            pixel.loadUnaligned(fromByteOffset: 4 &* channels, as: SIMD4<Float>.self)
                            * weight[tap &+ 1]
                        pixel += 8 &* channels
                        tap &+= 2
                    }
                    if tap < taps { even += pixel.loadUnaligned(as: SIMD4<Float>.self) * weight[tap] }
                    body(x, even + odd)
                    weight += taps
                }
            }
        }
    }

    /// Clamps to 0...65,535 and rounds, as ``bytes(_:most:)`` does.
    @inline(__always)
    private static func words(_ sum: SIMD4<Float>) -> SIMD4<UInt16> {
        var cut = sum.replacing(with: SIMD4<Float>(), where: sum .< SIMD4<Float>())
        cut.replace(with: SIMD4(repeating: 65_535), where: cut .> SIMD4(repeating: 65_535))
        let bits = unsafeBitCast(cut + 0x1p23, to: SIMD4<UInt32>.self)
        return SIMD4<UInt16>(truncatingIfNeeded: bits)
    }

    /// Clamps to `0...most` and rounds.
    @inline(__always)
    private static func bytes(_ sum: SIMD4<Float>, most: SIMD4<Float>) -> SIMD4<UInt8> {
        var cut = sum.replacing(with: SIMD4<Float>(), where: sum .< SIMD4<Float>())
        cut.replace(with: most, where: cut .> most)
        // Adding 2^23 leaves the rounded number in the low bits, because neighboring floats there are 1 apart.
        let bits = unsafeBitCast(cut + 0x1p23, to: SIMD4<UInt32>.self)
        return SIMD4<UInt8>(truncatingIfNeeded: bits)
    }
}
