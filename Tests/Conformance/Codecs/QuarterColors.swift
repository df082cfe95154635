import FirnImage

/// The mean premultiplied colors of an image's four quarters, in the manifest's order: top left, top right, bottom
/// left, bottom right. If a side is odd, the middle pixels count half on either side.
struct QuarterColors {
    /// 16 numbers from 0 to 255: red, green, blue, alpha of each quarter.
    let values: [Double]

    /// Parses the manifest's form: 32 hexadecimal digits.
    init?(_ text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 32, text.count == 32 else { return nil }
        values = stride(from: 0, to: 32, by: 2).map { Double(digits[$0] * 16 + digits[$0 + 1]) }
    }

    /// Computes the colors of an image of straight RGBA.
    init(_ bitmap: Bitmap) {
        let (width, height) = (bitmap.size.width, bitmap.size.height)
        var sums = [Int](repeating: 0, count: 16)
        bitmap.withUnsafeBytes { bytes in
            sums.withUnsafeMutableBufferPointer { sums in
                for y in 0..<height {
                    let row = y * bitmap.bytesPerRow
                    for x in 0..<width {
                        let at = row + x * 4
                        let alpha = Int(bytes[at + 3])
                        // Twice the share of the pixel in the left and in the top half.
                        let left = min(max(width - 2 * x, 0), 2)
                        let top = min(max(height - 2 * y, 0), 2)
                        for quarter in 0..<4 {
                            let part = (quarter & 1 == 0 ? left : 2 - left) * (quarter & 2 == 0 ? top : 2 - top)
                            guard part > 0 else { continue }
                            let sum = quarter * 4
                            sums[sum] += Int(bytes[at]) * alpha * part
                            sums[sum + 1] += Int(bytes[at + 1]) * alpha * part
                            sums[sum + 2] += Int(bytes[at + 2]) * alpha * part
                            sums[sum + 3] += 255 * alpha * part
                        }
                    }
                }
            }
        }
        let weight = Double(width * height * 255)
        values = sums.map { Double($0) / weight }
    }

    /// Returns the mean and the largest difference.
    func difference(from other: QuarterColors) -> (mean: Double, largest: Double) {
        let differences = zip(values, other.values).map { abs($0 - $1) }
        return (differences.reduce(0, +) / 16, differences.max() ?? 0)
    }

    /// Returns whether the mean difference is at most 3 and the largest at most 48: the manifest's tolerance for its
    /// thumbnails.
    func isClose(to other: QuarterColors) -> Bool {
        let difference = difference(from: other)
        return difference.mean <= 3 && difference.largest <= 48
    }

    /// The manifest's form.
    var text: String {
        values.map { value in
            let digits = String(Int(value.rounded()), radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
