/// A blurred image in 6 to 166 characters, which servers send along with a URL.
///
/// Data: the coefficients of a cosine transform with at most 9 × 9 waves, in linear light. `waves[y * columns + x]` has
/// `x` half waves across and `y` half waves down. The first coefficient is the average color.
///
/// Layout of the text, in base-83 digits: one for the number of waves, one for the largest coefficient, four for the
/// average color in sRGB, and two for each further coefficient.
///
/// Source: BlurHash, Algorithm.md (Dag Ågren, Wolt).
public struct BlurHash: Hashable, Sendable {
    /// Red, green and blue.
    private typealias Light = SIMD3<Double>

    private let columns: Int
    private let rows: Int
    private let waves: [Light]

    /// The text.
    public let text: String
    /// The average color of the image.
    public let averageColor: SRGBColor

    /// Parses the text of a hash.
    ///
    /// Fails if `text` has a character that is not a base-83 digit, a length other than its first digit states, more
    /// than 9 × 9 waves, or a value out of range.
    public init?(_ text: String) {
        var digits: [Int] = []
        for byte in text.utf8.prefix(6 + 2 * 80 + 1) {
            guard let digit = Self.digits.firstIndex(of: byte) else { return nil }
            digits.append(digit)
        }
        guard digits.count >= 6 else { return nil }
        columns = digits[0] % 9 + 1
        rows = digits[0] / 9 + 1
        guard rows <= 9, digits.count == 4 + 2 * columns * rows else { return nil }
        let largest = Double(digits[1] + 1) / 166
        let average = digits[2...5].reduce(0) { $0 * 83 + $1 }
        guard average <= 0xFF_FFFF else { return nil }
        averageColor = SRGBColor(
            red: UInt8(average >> 16), green: UInt8(average >> 8 & 255), blue: UInt8(average & 255))
        func light(_ component: Int) -> Double { LinearLight.decode(Double(component & 255) / 255) }
        var waves = [Light(light(average >> 16), light(average >> 8), light(average))]
        for at in stride(from: 6, to: digits.count, by: 2) {
            let value = digits[at] * 83 + digits[at + 1]
            guard value < 19 * 19 * 19 else { return nil }
            func coefficient(_ step: Int) -> Double {
                let part = Double(step - 9) / 9
                return part * abs(part) * largest
            }
            waves.append(Light(coefficient(value / 361), coefficient(value / 19 % 19), coefficient(value % 19)))
        }
        self.waves = waves
        self.text = text
    }

    /// Renders the blurred image, opaque, in the layout of displays.
    ///
    /// - Parameter size: the size of the image. Default: 32 × 32 pixels, to be stretched over the view.
    /// - Returns: `nil` if the size is empty, or there is no memory.
    /// - Complexity: O(pixels × columns of waves).
    public func bitmap(size: PixelSize = PixelSize(32)) -> Bitmap? {
        guard !size.isEmpty, size.area <= 1 << 24 else { return nil }
        let across = CosineTable(count: columns, length: size.width, shift: 0)
        let down = CosineTable(count: rows, length: size.height, shift: 0)
        return try? Bitmap(size: size, isOpaque: true) { pixels in
            for y in 0..<size.height {
                let line = (0..<columns).map { x in
                    (0..<rows).reduce(into: Light()) { $0 += waves[$1 * columns + x] * down[y, $1] }
                }
                let row = pixels.row(y)
                for x in 0..<size.width {
                    var light = Light()
                    for column in 0..<columns { light += line[column] * across[x, column] }
                    let pixel = SIMD4(
                        ScreenLight.byte(light.z), ScreenLight.byte(light.y), ScreenLight.byte(light.x), 255)
                    row.storeBytes(of: pixel, toByteOffset: x * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
    }

    static let digits = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    // MARK: Encoding

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

extension Bitmap {
    /// Renders the blurred image of a ``BlurHash``. Fails if `blurHash` is not one, or the size is empty.
    ///
    /// - Parameters:
    ///   - width: the number of columns. Default: 32, to be stretched over the view.
    ///   - height: the number of rows. Default: 32.
    public init?(blurHash: String, width: Int = 32, height: Int = 32) {
        guard let image = BlurHash(blurHash)?.bitmap(size: PixelSize(width: width, height: height)) else { return nil }
        self = image
    }

    /// Returns the text of the image's ``BlurHash``, of 4 × 3 waves by default; `nil` if
    /// ``BlurHash/init(_:columns:rows:)`` fails.
    public func blurHash(columns: Int = 4, rows: Int = 3) -> String? {
        BlurHash(self, columns: columns, rows: rows)?.text
    }
}
