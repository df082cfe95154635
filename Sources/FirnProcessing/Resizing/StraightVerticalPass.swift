/// Mixes the original rows of one window into one row, for straight colors.
///
/// Colors are weighted by their alpha, so that the color of invisible pixels does not bleed into visible ones. The sums
/// are `color·alpha·weight` and, in the last place, `alpha·weight`.
struct StraightVerticalPass {
    let taps: Int
    let starts: [Int]
    private let weights: [Float]

    init(_ windows: FilterWindows) {
        taps = windows.taps
        starts = windows.starts
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
            StraightVerticalPass.mix(rows, bytesPerRow, weights, taps: taps, into: sums, width)
        }
    }

    /// A function of its own, not inlined, that takes only pointers and numbers: inside a larger one the optimizer
    /// leaves the vector operations as calls, which is four times slower.
    @inline(never)
    private static func mix(
        _ rows: UnsafeRawPointer, _ bytesPerRow: Int, _ weights: UnsafePointer<Float>, taps: Int,
        into sums: UnsafeMutablePointer<Float>, _ width: Int
    ) {
        let output = UnsafeMutableRawPointer(sums)
        for x in 0..<width {
            var sum = SIMD4<Float>()
            var alphaSum: Float = 0
            var pixel = rows + 4 &* x
            var tap = 0
            while tap < taps {
                let bytes = pixel.loadUnaligned(as: SIMD4<UInt8>.self)
                let color = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: bytes))
                // Loads alpha again: extracting it from the vector would split the vector.
                let alpha = Float(pixel.load(fromByteOffset: 3, as: UInt8.self)) * weights[tap]
                sum += color * alpha
                alphaSum += alpha
                pixel += bytesPerRow
                tap &+= 1
            }
            sum.w = alphaSum
            output.storeBytes(of: sum, toByteOffset: 16 &* x, as: SIMD4<Float>.self)
        }
    }
}
