internal import CFirnProcessing

/// Resizes encoded pixels in linear light, as defocus or distance averages an image.
///
/// Order: horizontal first, so that each row of the original is converted to linear light once. A ring buffer holds
/// rows of the result's width until the last window that uses them is done.
struct LinearResize {
    let horizontal: FilterWindows
    let vertical: FilterWindows

    /// Mixes all rows of `source` into those of `target`.
    func run(_ source: SourceRows, into target: TargetRows, _ run: ProcessingRun) throws {
        let mixing = HorizontalPass(horizontal, scale: 1)
        let weights = vertical.weights.map { Float($0) }
        let light = LinearLight.ofWords
        let code = LinearLight.codes
        let (width, new, taps) = (source.size.width, target.size.width * 4, vertical.taps)
        let starts = vertical.starts
        // Enough new rows to outweigh the rows that two stripes both read.
        let cost = taps * width / 2
        try run.stripes(target.size.height, pixels: cost, multiple: 64) { rows in
            FloatRow.with(4 * width + new * (taps + 1)) { floats in
                let (sums, ring) = (floats + new, floats + new + 4 * width)
                var next = starts[rows.lowerBound]
                for y in rows {
                    next = max(next, starts[y])
                    while next < starts[y] + taps {
                        source.load(next, count: width, into: sums)
                        light.withUnsafeBufferPointer { firn_row_through_table(sums, $0.baseAddress, width) }
                        mixing.mix(sums, channels: 4, into: ring + next % taps * new)
                        next += 1
                    }
                    for index in 0..<new { floats[index] = 0 }
                    for tap in 0..<taps {
                        let weight = weights[y * taps + tap]
                        let row = ring + (starts[y] + tap) % taps * new
                        for index in 0..<new { floats[index] += weight * row[index] }
                    }
                    code.withUnsafeBufferPointer { firn_row_through_table(floats, $0.baseAddress, new / 4) }
                    target.store(floats, y, count: new / 4)
                }
            }
        }
    }
}

extension LinearLight {
    /// The encoded value of every 16-bit level of linear light. Takes 256 KiB; computed on first use.
    static let codes: [Float] = (0...65_535).map { Float(encode(Double($0) / 65_535)) }
}
