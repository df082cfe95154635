internal import CFirnProcessing

/// Mixes the original rows of one window into one row, byte by byte, in fixed point.
///
/// Weights have 16 bits, with as many fraction bits as the largest of them allows (at most 21). Sums have 32 bits. The
/// weights of each window add up to exactly `2^fractionBits`, so that flat areas and full alpha stay exact.
struct VerticalPass {
    let taps: Int
    let starts: [Int]
    let fractionBits: Int
    /// The weights in pairs, window after window. The last pair of a window with an odd number of weights ends with 0.
    private let weights: [Int16]
    private var pairedTaps: Int { taps + taps & 1 }

    init(_ windows: FilterWindows) {
        taps = windows.taps
        starts = windows.starts
        var largest = 0.0
        var largestSum = 0.0
        for index in starts.indices {
            var sum = 0.0
            for weight in windows.weights[index * windows.taps..<(index + 1) * windows.taps] {
                largest = max(largest, abs(weight))
                sum += abs(weight)
            }
            largestSum = max(largestSum, sum)
        }
        var bits = 21
        // Invariant: no weight leaves Int16, no sum of weighted bytes leaves Int32.
        while bits > 0, largest * Double(1 << bits) > 32_766 || largestSum * 255 * Double(1 << bits) > 2_147_000_000 {
            bits -= 1
        }
        fractionBits = bits
        weights = VerticalPass.quantized(windows, bits: bits)
    }

    /// Rounds the running sums of the weights, not the single weights, so that rounding errors do not add up.
    private static func quantized(_ windows: FilterWindows, bits: Int) -> [Int16] {
        let one = Double(1 << bits)
        var result: [Int16] = []
        result.reserveCapacity(windows.starts.count * (windows.taps + 1))
        for index in windows.starts.indices {
            var sum = 0.0
            var rounded = 0
            for tap in 0..<windows.taps {
                sum += windows.weights[index * windows.taps + tap]
                let next = tap == windows.taps - 1 ? 1 << bits : Int((sum * one).rounded())
                result.append(Int16(clamping: next - rounded))
                rounded = next
            }
            if windows.taps & 1 == 1 { result.append(0) }
        }
        return result
    }

    /// Writes `count` sums, scaled by `2^fractionBits`, for the new row `index`.
    ///
    /// Safety: `base` holds all rows of the windows; `sums` has room for `count` numbers.
    func mix(
        _ index: Int, from base: UnsafeRawPointer, bytesPerRow: Int, count: Int, into sums: UnsafeMutablePointer<Float>
    ) {
        weights.withUnsafeBufferPointer { all in
            guard let start = all.baseAddress else { return }
            let weights = start + index * pairedTaps
            let rows = base + starts[index] * bytesPerRow
            firn_mix_rows8(
                rows.assumingMemoryBound(to: UInt8.self), bytesPerRow, weights, taps, sums, count)
        }
    }
}
