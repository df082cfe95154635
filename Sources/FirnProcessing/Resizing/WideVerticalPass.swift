internal import FirnImage

/// Mixes the original rows of one window into one row, for components of more than 8 bits.
///
/// Straight colors of 16 bits are weighted by their alpha, as in ``StraightVerticalPass``; half floats are already
/// multiplied by it.
struct WideVerticalPass {
    let taps: Int
    let starts: [Int]
    private let isHalf: Bool
    private let weights: [Float]

    init(_ windows: FilterWindows, format: PixelFormat) {
        taps = windows.taps
        starts = windows.starts
        isHalf = format == .rgbaHalfPremultiplied
        weights = windows.weights.map { Float($0) }
    }

    /// Writes four sums for each of `width` pixels of the new row `index`.
    ///
    /// Safety: `base` holds all rows of the windows, `sums` has room for `4·width` numbers.
    func mix(
        _ index: Int, from base: UnsafeRawPointer, bytesPerRow: Int, width: Int, into sums: UnsafeMutablePointer<Float>
    ) {
        weights.withUnsafeBufferPointer { all in
            guard let start = all.baseAddress else { return }
            let weights = start + index * taps
            let rows = base + starts[index] * bytesPerRow
            if isHalf {
                WideVerticalPass.mixHalves(rows, bytesPerRow, weights, taps: taps, into: sums, width)
            } else {
                WideVerticalPass.mixWords(rows, bytesPerRow, weights, taps: taps, into: sums, width)
            }
        }
    }

    /// Not inlined, for the reason that ``StraightVerticalPass`` gives.
    @inline(never)
    private static func mixWords(
        _ rows: UnsafeRawPointer, _ bytesPerRow: Int, _ weights: UnsafePointer<Float>, taps: Int,
        into sums: UnsafeMutablePointer<Float>, _ width: Int
    ) {
        let output = UnsafeMutableRawPointer(sums)
        for x in 0..<width {
            var sum = SIMD4<Float>()
            var alphaSum: Float = 0
            var pixel = rows + 8 &* x
            var tap = 0
            while tap < taps {
                let words = pixel.loadUnaligned(as: SIMD4<UInt16>.self)
                let alpha = Float(pixel.loadUnaligned(fromByteOffset: 6, as: UInt16.self)) * weights[tap]
                sum += SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: words)) * alpha
                alphaSum += alpha
                pixel += bytesPerRow
                tap &+= 1
            }
            sum.w = alphaSum
            output.storeBytes(of: sum, toByteOffset: 16 &* x, as: SIMD4<Float>.self)
        }
    }

    @inline(never)
    private static func mixHalves(
        _ rows: UnsafeRawPointer, _ bytesPerRow: Int, _ weights: UnsafePointer<Float>, taps: Int,
        into sums: UnsafeMutablePointer<Float>, _ width: Int
    ) {
        let output = UnsafeMutableRawPointer(sums)
        for x in 0..<width {
            var sum = SIMD4<Float>()
            var pixel = rows + 8 &* x
            var tap = 0
            while tap < taps {
                sum += HalfFloats.numbers(pixel.loadUnaligned(as: SIMD4<UInt16>.self)) * weights[tap]
                pixel += bytesPerRow
                tap &+= 1
            }
            output.storeBytes(of: sum, toByteOffset: 16 &* x, as: SIMD4<Float>.self)
        }
    }
}
