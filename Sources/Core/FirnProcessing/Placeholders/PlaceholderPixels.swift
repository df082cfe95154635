/// An image scaled down to at most 100 pixels a side, as floating-point numbers, for computing placeholders.
///
/// Larger images are scaled down by averaging areas; hashes hold too little detail for more pixels. Shape: rows without
/// gaps, top row first. Colors are not multiplied by alpha; all values are from 0 to 1.
struct PlaceholderPixels {
    /// One pixel, or a sum of pixels.
    typealias Value = SIMD4<Double>

    /// The encoding of the colors.
    enum Light {
        /// As encoded in sRGB.
        case encoded
        /// As linear light.
        case linear
    }

    let width: Int
    let height: Int
    /// Red, green, blue, alpha.
    let values: [Value]

    /// The longest side.
    static let longest = 100

    /// Reads `image`; fails if memory for converting it is short.
    ///
    /// - Complexity: O(pixels of `image`).
    init?(_ image: Bitmap, light: Light) {
        guard let straight = try? image.converted(to: .rgba8Straight) else { return nil }
        let table = (0...255).map { step in
            light == .linear ? LinearLight.decode(Double(step) / 255) : Double(step) / 255
        }
        let size = TargetSize(Self.longest).resolved(for: straight.size)
        (width, height) = (size.width, size.height)
        values = Self.averages(straight, width: width, height: height, table)
    }

    private static func averages(_ image: Bitmap, width: Int, height: Int, _ table: [Double]) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(width * height)
        image.withUnsafeBytes { bytes in
            for y in 0..<height {
                let rows = y * image.size.height / height..<(y + 1) * image.size.height / height
                for x in 0..<width {
                    let columns = x * image.size.width / width..<(x + 1) * image.size.width / width
                    values.append(average(bytes, rows, columns, image.bytesPerRow, table))
                }
            }
        }
        return values
    }

    /// Returns the mean of an area, with colors weighted by their alpha.
    private static func average(
        _ bytes: UnsafeRawBufferPointer, _ rows: Range<Int>, _ columns: Range<Int>, _ bytesPerRow: Int,
        _ table: [Double]
    ) -> Value {
        var sum = Value()
        for y in rows {
            for x in columns {
                let at = y * bytesPerRow + x * 4
                let alpha = Double(bytes[at + 3]) / 255
                let color = Value(table[Int(bytes[at])], table[Int(bytes[at + 1])], table[Int(bytes[at + 2])], 1)
                sum += color * alpha
            }
        }
        return mean(sum, of: rows.count * columns.count)
    }

    /// Returns the mean of `count` pixels, given the sum of their alpha and premultiplied colors.
    private static func mean(_ sum: Value, of count: Int) -> Value {
        guard sum.w > 0 else { return Value() }
        var mean = sum / sum.w
        mean.w = sum.w / Double(count)
        return mean
    }

    /// The average color, weighted by alpha, and the average alpha.
    var average: Value {
        var sum = Value()
        for value in values {
            var color = value
            color.w = 1
            sum += color * value.w
        }
        return Self.mean(sum, of: values.count)
    }

    /// The pixels blended over their average color, so that transparent pixels cause no edges.
    var overAverage: [Value] {
        let ground = average
        return values.map { value in
            var color = ground * (1 - value.w) + value * value.w
            color.w = value.w
            return color
        }
    }
}

/// Converts linear light to encoded 8-bit values with a table, because computing a power per component would take most
/// of the time of a placeholder.
enum ScreenLight {
    /// The resolution of the table. The error in the darkest, steepest part of the curve is at most a fifth of a step.
    private static let steps = 16_384
    private static let bytes: [UInt8] = (0...steps).map {
        UInt8((LinearLight.encode(Double($0) / Double(steps)) * 255).rounded())
    }

    /// Returns the encoded value of light, which is clamped to 0...1; 0 for NaN.
    static func byte(_ light: Double) -> UInt8 {
        guard light > 0 else { return 0 }
        return light < 1 ? bytes[Int((light * Double(steps)).rounded())] : 255
    }
}
