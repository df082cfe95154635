/// The inner loop of ``VerticalPass``.
///
/// A function of its own, not inlined, of pointers and numbers only: inside a larger one the optimiser leaves the
/// vector operations as calls, which is four times slower.
enum VerticalKernel {
    /// Writes the sums of `count` byte columns, at least 16, over `taps` rows.
    ///
    /// Two rows at a time: their bytes are interleaved, so that each 32-bit lane is one `a·w0 + b·w1`, a single
    /// instruction (`pmaddwd`) on x86-64.
    @inline(never)
    static func mix(
        _ rows: UnsafeRawPointer, _ bytesPerRow: Int, _ weights: UnsafePointer<Int16>, taps: Int,
        into sums: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        var x = 0
        while true {
            var first = SIMD4<Int32>()
            var second = first
            var third = first
            var fourth = first
            var row = rows + x
            var tap = 0
            while tap < taps {
                let below = tap &+ 1 < taps ? bytesPerRow : 0
                let upper = row.loadUnaligned(as: SIMD16<UInt8>.self)
                let lower = (row + below).loadUnaligned(as: SIMD16<UInt8>.self)
                let (even, odd) = (weights[tap], weights[tap &+ 1])
                let pair = SIMD8<Int16>(even, odd, even, odd, even, odd, even, odd)
                let weight = SIMD8<Int32>(truncatingIfNeeded: pair)
                var both = SIMD32<UInt8>()
                both.evenHalf = upper
                both.oddHalf = lower
                first = first &+ weighted(both.lowHalf.lowHalf, weight)
                second = second &+ weighted(both.lowHalf.highHalf, weight)
                third = third &+ weighted(both.highHalf.lowHalf, weight)
                fourth = fourth &+ weighted(both.highHalf.highHalf, weight)
                row += 2 &* bytesPerRow
                tap &+= 2
            }
            let target = UnsafeMutableRawPointer(sums + x)
            target.storeBytes(of: SIMD4<Float>(first), as: SIMD4<Float>.self)
            target.storeBytes(of: SIMD4<Float>(second), toByteOffset: 16, as: SIMD4<Float>.self)
            target.storeBytes(of: SIMD4<Float>(third), toByteOffset: 32, as: SIMD4<Float>.self)
            target.storeBytes(of: SIMD4<Float>(fourth), toByteOffset: 48, as: SIMD4<Float>.self)
            // The last strip begins early, with some columns that are done already.
            if x &+ 16 >= count { return }
            x = min(x &+ 16, count &- 16)
        }
    }

    @inline(__always)
    private static func weighted(_ bytes: SIMD8<UInt8>, _ weights: SIMD8<Int32>) -> SIMD4<Int32> {
        // By way of Int16, which tells the compiler that both factors are 16-bit.
        let products = SIMD8<Int32>(truncatingIfNeeded: SIMD8<Int16>(truncatingIfNeeded: bytes)) &* weights
        return products.evenHalf &+ products.oddHalf
    }
}
