extension BlurHash {
    /// Creates the hash of an image.
    ///
    /// Images of more than 100 pixels a side are scaled down first. Transparent pixels get the average color of the
    /// others, because the hash has no alpha.
    ///
    /// Fails if `columns` or `rows` is outside 1…9, or memory for converting the image is short.
    ///
    /// - Parameters:
    ///   - columns: the number of waves across, 1 to 9. Default: 4.
    ///   - rows: the number of waves down, 1 to 9. Default: 3.
    /// - Source: BlurHash, Algorithm.md (Dag Ågren, Wolt).
    public init?(_ image: Bitmap, columns: Int = 4, rows: Int = 3) {
        guard (1...9).contains(columns), (1...9).contains(rows),
            let pixels = PlaceholderPixels(image, light: .linear)
        else { return nil }
        self.init(Self.text(Self.factors(pixels, columns, rows), columns, rows))
    }

    private typealias Factor = PlaceholderPixels.Value

    /// Returns the coefficient of every wave, row by row.
    private static func factors(_ pixels: PlaceholderPixels, _ columns: Int, _ rows: Int) -> [Factor] {
        let across = CosineTable(count: columns, length: pixels.width, shift: 0)
        let down = CosineTable(count: rows, length: pixels.height, shift: 0)
        let colors = pixels.overAverage
        var factors = [Factor](repeating: Factor(), count: columns * rows)
        for y in 0..<pixels.height {
            for column in 0..<columns {
                var line = Factor()
                for x in 0..<pixels.width { line += colors[y * pixels.width + x] * across[x, column] }
                for row in 0..<rows { factors[row * columns + column] += line * down[y, row] }
            }
        }
        for index in factors.indices {
            factors[index] *= (index == 0 ? 1 : 2) / Double(pixels.width * pixels.height)
        }
        return factors
    }

    private static func text(_ factors: [Factor], _ columns: Int, _ rows: Int) -> String {
        var text: [UInt8] = []
        func append(_ value: Int, digits count: Int) {
            var power = 1
            for _ in 1..<max(count, 1) { power *= 83 }
            for _ in 0..<count {
                text.append(Self.digits[value / power % 83])
                power /= 83
            }
        }
        append(columns - 1 + (rows - 1) * 9, digits: 1)
        let waves = factors.dropFirst()
        let strongest = waves.map { max(abs($0.x), abs($0.y), abs($0.z)) }.max() ?? 0
        let step = waves.isEmpty ? 0 : Int(max(0, min(82, (strongest * 83 - 0.5).rounded(.down))))
        append(step, digits: 1)
        let average = factors[0]
        func byte(_ light: Double) -> Int { Int((LinearLight.encode(min(max(light, 0), 1)) * 255).rounded()) }
        append(byte(average.x) << 16 | byte(average.y) << 8 | byte(average.z), digits: 4)
        let largest = Double(step + 1) / 83
        func level(_ value: Double) -> Int {
            let root = (abs(value) / largest).squareRoot() * (value < 0 ? -1 : 1)
            return Int(max(0, min(18, (root * 9 + 9.5).rounded(.down))))
        }
        for wave in waves { append(level(wave.x) * 361 + level(wave.y) * 19 + level(wave.z), digits: 2) }
        return String(decoding: text, as: UTF8.self)
    }
}
