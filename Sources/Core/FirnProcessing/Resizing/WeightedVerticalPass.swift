/// Mixes the original rows of one window into one row of floats: four sums for each pixel.
///
/// Straight colors are weighted by their alpha, so that the color of invisible pixels does not bleed into visible
/// pixels. Their sums are `color·alpha·weight` and, last, `alpha·weight`. Half floats are already multiplied by alpha;
/// their sums are `component·weight`.
struct WeightedVerticalPass {
    let taps: Int
    let starts: [Int]
    private let format: PixelFormat
    private let weights: [Float]

    /// - Parameter format: the layout of the rows, of four components.
    init(_ windows: FilterWindows, format: PixelFormat) {
        taps = windows.taps
        starts = windows.starts
        self.format = format
        weights = windows.weights.map { Float($0) }
    }

    /// Writes four sums for each of `width` pixels of the new row `index`.
    ///
    /// Safety: `base` holds all rows of the windows; `sums` has room for `4·width` numbers.
    func mix(
        _ index: Int, from base: UnsafeRawPointer, bytesPerRow: Int, width: Int, into sums: UnsafeMutablePointer<Float>
    ) {
        weights.withUnsafeBufferPointer { all in
            guard let start = all.baseAddress else { return }
            let weights = start + index * taps
            let rows = base + starts[index] * bytesPerRow
            switch format {
            case .rgbaHalfPremultiplied: Self.mixHalves(rows, bytesPerRow, weights, taps: taps, into: sums, width)
            case .rgba16Straight:
                Self.mixStraight(UInt16.self, rows, bytesPerRow, weights, taps: taps, into: sums, width)
            case .rgba8Straight, .bgra8Premultiplied, .rgb8:
                Self.mixStraight(UInt8.self, rows, bytesPerRow, weights, taps: taps, into: sums, width)
            }
        }
    }

    /// Mixes straight colors. Not inlined, and takes only pointers and numbers: inside a larger function the optimizer
    /// leaves vector operations as calls, which is four times slower.
    @inline(never)
    @_specialize(where Component == UInt8)
    @_specialize(where Component == UInt16)
    private static func mixStraight<Component: FixedWidthInteger & SIMDScalar>(
        _: Component.Type, _ rows: UnsafeRawPointer, _ bytesPerRow: Int, _ weights: UnsafePointer<Float>, taps: Int,
        into sums: UnsafeMutablePointer<Float>, _ width: Int
    ) {
        let output = UnsafeMutableRawPointer(sums)
        let size = MemoryLayout<Component>.size
        for x in 0..<width {
            var sum = SIMD4<Float>()
            var alphaSum: Float = 0
            var pixel = rows + 4 &* size &* x
            var tap = 0
            while tap < taps {
                let components = pixel.loadUnaligned(as: SIMD4<Component>.self)
                let color = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: components))
                // Loads alpha again: extracting it from the vector would split the vector.
                let stored = pixel.loadUnaligned(fromByteOffset: 3 &* size, as: Component.self)
                let alpha = Float(Int32(truncatingIfNeeded: stored)) * weights[tap]
                sum += color * alpha
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
