import FirnImage
import FirnProcessing

/// Resizes slowly in double precision, in two dimensions and without tables, as a reference.
///
/// Written from the filters' definitions. Straight colors are multiplied by alpha first.
/// - Returns: the exact values, not rounded, in the order of the image's bytes; colors multiplied by alpha.
func referenceResize(_ source: Bitmap, to size: PixelSize, filter: ResizeFilter) -> [Double] {
    let count = source.format.bytesPerPixel
    let bytes = source.packedBytes
    let values = bytes.indices.map { index -> Double in
        guard source.format == .rgba8Straight, index % 4 != 3 else { return Double(bytes[index]) }
        return Double(bytes[index]) * Double(bytes[index - index % 4 + 3]) / 255
    }
    let horizontal = (0..<size.width).map { referenceWeights(filter, $0, source.size.width, size.width) }
    let vertical = (0..<size.height).map { referenceWeights(filter, $0, source.size.height, size.height) }
    var result: [Double] = []
    for y in 0..<size.height {
        for x in 0..<size.width {
            for channel in 0..<count {
                var sum = 0.0
                for (row, weight) in vertical[y] {
                    for (column, other) in horizontal[x] {
                        sum += weight * other * values[(row * source.size.width + column) * count + channel]
                    }
                }
                result.append(sum)
            }
        }
    }
    return result
}

private func referenceWeights(_ filter: ResizeFilter, _ output: Int, _ source: Int, _ target: Int) -> [(Int, Double)] {
    let scale = Double(source) / Double(target)
    let center = (Double(output) + 0.5) * scale
    let weights = (0..<source).map { index -> Double in
        if filter == .box {
            let covered = min(Double(index + 1), center + scale / 2) - max(Double(index), center - scale / 2)
            return max(0, covered)
        }
        let x = abs((Double(index) + 0.5 - center) / max(1, scale))
        switch filter {
        case .box: return 0
        case .bilinear: return max(0, 1 - x)
        case .catmullRom:
            if x < 1 { return (3 * x * x * x - 5 * x * x + 2) / 2 }
            return x < 2 ? (-x * x * x + 5 * x * x - 8 * x + 4) / 2 : 0
        case .lanczos3:
            if x < 1e-9 { return 1 }
            return x < 3 ? sinc(x) * sinc(x / 3) : 0
        }
    }
    let sum = weights.reduce(0, +)
    return weights.enumerated().filter { $0.element != 0 }.map { ($0.offset, $0.element / sum) }
}

/// Returns `sin πx / πx` by its Taylor series.
private func sinc(_ x: Double) -> Double {
    let square = (x * Double.pi) * (x * Double.pi)
    var term = 1.0
    var sum = 1.0
    for n in 1..<40 {
        term *= -square / Double(2 * n * (2 * n + 1))
        sum += term
    }
    return sum
}
