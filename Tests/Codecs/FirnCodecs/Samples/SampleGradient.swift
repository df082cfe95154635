/// Returns the image of ``ModernSamples``: pixel (x, y) is (8x, 10y, 128), with alpha 4(x + y) + 20 or opaque.
func gradient(width: Int, height: Int, hasAlpha: Bool) -> [UInt8] {
    var pixels: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width {
            let alpha = hasAlpha ? (x + y) * 4 + 20 : 255
            pixels += [UInt8(x * 8 & 255), UInt8(y * 10 & 255), 128, UInt8(alpha)]
        }
    }
    return pixels
}

/// Returns the largest difference of two samples; 255 if the counts differ.
func difference(_ first: [UInt8], _ second: [UInt8]) -> Int {
    guard first.count == second.count else { return 255 }
    var largest = 0
    for (one, other) in zip(first, second) { largest = max(largest, abs(Int(one) - Int(other))) }
    return largest
}

/// Returns the mean difference of two samples; 255 if the counts differ.
func meanDifference(_ first: [UInt8], _ second: [UInt8]) -> Double {
    guard first.count == second.count, !first.isEmpty else { return 255 }
    var sum = 0
    for (one, other) in zip(first, second) { sum += abs(Int(one) - Int(other)) }
    return Double(sum) / Double(first.count)
}
