import FirnSystem
public import FoundationEssentials

/// A blurred image with its aspect ratio and optional alpha, in 5 to 25 bytes.
///
/// Data: cosine coefficients of four channels: lightness, yellow–blue, red–green, alpha. Each channel has a constant
/// and a triangle of low-frequency waves; lightness has the most, and more along the longer side.
///
/// Layout, little-endian bits: constants of lightness (6), yellow–blue (6), red–green (6), scale of lightness (5),
/// whether there is alpha (1); waves along the shorter side (3), scales of the two colors (6, 6), whether it is
/// landscape (1); with alpha, its constant and scale (4, 4); then 4 bits per wave, channel by channel.
///
/// Source: ThumbHash (Evan Wallace), evanw.github.io/thumbhash.
public struct ThumbHash: Hashable, Sendable {
    private let light: Channel
    private let yellowBlue: Channel
    private let redGreen: Channel
    private let alpha: Channel?

    /// The bytes of the hash, without trailing bytes.
    public let data: Data
    /// The approximate width divided by the height of the image.
    public let aspectRatio: Double

    /// Parses the bytes of a hash.
    ///
    /// Fails if `data` is shorter than the hash that its first bytes describe (at least 5 bytes, 6 with alpha), or if
    /// the shorter side of the image has 0 waves. Bytes after the hash are ignored.
    public init?(_ data: Data) {
        let bytes = [UInt8](data.prefix(64))
        guard bytes.count >= 5 else { return nil }
        let first = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
        let second = Int(bytes[3]) | Int(bytes[4]) << 8
        let hasAlpha = first >> 23 != 0
        let isLandscape = second >> 15 != 0
        let (short, long) = (second & 7, hasAlpha ? 5 : 7)
        guard short > 0, !hasAlpha || bytes.count >= 6 else { return nil }
        let (across, down) = isLandscape ? (long, short) : (short, long)
        aspectRatio = Double(across) / Double(down)

        var nibbles = Nibbles(bytes: bytes, at: hasAlpha ? 12 : 10)
        let colorScales = (Double(second >> 3 & 63) / 63 * 1.25, Double(second >> 9 & 63) / 63 * 1.25)
        func signed(_ value: Int) -> Double { Double(value & 63) / 31.5 - 1 }
        guard
            let light = Channel(
                Double(first & 63) / 63, max(3, across), max(3, down), Double(first >> 18 & 31) / 31, &nibbles),
            let yellowBlue = Channel(signed(first >> 6), 3, 3, colorScales.0, &nibbles),
            let redGreen = Channel(signed(first >> 12), 3, 3, colorScales.1, &nibbles)
        else { return nil }
        (self.light, self.yellowBlue, self.redGreen) = (light, yellowBlue, redGreen)
        alpha = hasAlpha ? Channel(Double(bytes[5] & 15) / 15, 5, 5, Double(bytes[5] >> 4) / 15, &nibbles) : nil
        guard hasAlpha == (alpha != nil) else { return nil }
        self.data = Data(bytes.prefix((nibbles.at + 1) / 2))
    }

    /// True if the image has alpha.
    public var hasAlpha: Bool { alpha != nil }

    /// The average color of the image.
    public var averageColor: SRGBColor {
        let color = Self.color(light.average, yellowBlue.average, redGreen.average)
        return SRGBColor(
            red: Self.byte(color.red), green: Self.byte(color.green), blue: Self.byte(color.blue),
            alpha: Self.byte(alpha?.average ?? 1))
    }

    /// Renders the blurred image in its aspect ratio, 32 pixels along the longer side, in the layout of displays.
    ///
    /// - Returns: `nil` if there is no memory.
    public func bitmap() -> Bitmap? {
        let size = PixelSize(
            width: aspectRatio > 1 ? 32 : Int((32 * aspectRatio).rounded()),
            height: aspectRatio > 1 ? Int((32 / aspectRatio).rounded()) : 32)
        let (across, down) = (
            CosineTable(count: 7, length: size.width, shift: 0.5),
            CosineTable(count: 7, length: size.height, shift: 0.5)
        )
        return try? Bitmap(size: size, isOpaque: !hasAlpha) { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width { store(x, y, across, down, at: pixels.row(y) + x * 4) }
            }
        }
    }

    private func store(
        _ x: Int, _ y: Int, _ across: CosineTable, _ down: CosineTable, at pixel: UnsafeMutableRawPointer
    ) {
        let color = Self.color(
            light.value(x, y, across, down), yellowBlue.value(x, y, across, down), redGreen.value(x, y, across, down))
        let opacity = min(max(alpha?.value(x, y, across, down) ?? 1, 0), 1)
        for (offset, component) in [color.blue, color.green, color.red, 1].enumerated() {
            let byte = Self.byte(min(max(component, 0), 1) * opacity)
            pixel.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        }
    }

    /// Converts lightness, the mean of red, green and blue, and two color differences to a color.
    private static func color(
        _ light: Double, _ yellowBlue: Double, _ redGreen: Double
    ) -> (red: Double, green: Double, blue: Double) {
        let blue = light - yellowBlue * 2 / 3
        let red = (light * 3 - blue + redGreen) / 2
        return (red, red - redGreen, blue)
    }

    private static func byte(_ value: Double) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }

    /// One channel: its average, and a triangle of waves over `across` × `down`, row by row, without the constant.
    struct Channel: Hashable, Sendable {
        struct Wave: Hashable, Sendable {
            let x: Int
            let y: Int
            let height: Double
        }

        let average: Double
        let waves: [Wave]

        /// Reads the waves; fails if the bytes end too early.
        init?(_ average: Double, _ across: Int, _ down: Int, _ scale: Double, _ nibbles: inout Nibbles) {
            self.average = average
            var waves: [Wave] = []
            for y in 0..<down {
                var x = y == 0 ? 1 : 0
                while x * down < across * (down - y) {
                    guard let nibble = nibbles.next() else { return nil }
                    // Twice, by the inverse of the cosine transform.
                    waves.append(Wave(x: x, y: y, height: (Double(nibble) / 7.5 - 1) * scale * 2))
                    x += 1
                }
            }
            self.waves = waves
        }

        func value(_ x: Int, _ y: Int, _ across: CosineTable, _ down: CosineTable) -> Double {
            var sum = average
            for wave in waves { sum += wave.height * across[x, wave.x] * down[y, wave.y] }
            return sum
        }
    }

    /// Nibbles, the low one of each byte first.
    struct Nibbles {
        let bytes: [UInt8]
        var at: Int

        mutating func next() -> UInt8? {
            guard at / 2 < bytes.count else { return nil }
            defer { at += 1 }
            return bytes[at / 2] >> (at % 2 * 4) & 15
        }
    }

    // MARK: Encoding

    /// Creates the hash of an image.
    ///
    /// Images of more than 100 pixels a side are scaled down first. Fails if memory for converting the image is short.
    ///
    /// - Source: ThumbHash (Evan Wallace), evanw.github.io/thumbhash.
    public init?(_ image: Bitmap) {
        guard let pixels = PlaceholderPixels(image, light: .encoded) else { return nil }
        self.init(Self.bytes(pixels))
    }

    private static func bytes(_ pixels: PlaceholderPixels) -> Data {
        let (width, height) = (pixels.width, pixels.height)
        let hasAlpha = pixels.values.contains { $0.w < 1 }
        // With alpha, fewer lightness waves fit.
        let most = hasAlpha ? 5.0 : 7.0
        let longer = Double(max(width, height))
        let across = max(1, Int((most * Double(width) / longer).rounded()))
        let down = max(1, Int((most * Double(height) / longer).rounded()))
        let colors = pixels.overAverage
        func spectrum(_ across: Int, _ down: Int, _ channel: (PlaceholderPixels.Value) -> Double) -> Spectrum {
            Spectrum(colors.map(channel), width: width, height: height, across: across, down: down)
        }
        let light = spectrum(max(3, across), max(3, down)) { ($0.x + $0.y + $0.z) / 3 }
        let yellowBlue = spectrum(3, 3) { ($0.x + $0.y) / 2 - $0.z }
        let redGreen = spectrum(3, 3) { $0.x - $0.y }
        let alpha = hasAlpha ? spectrum(5, 5) { $0.w } : nil

        let isLandscape = width > height
        let first =
            step(light.average, 63) | step(0.5 + 0.5 * yellowBlue.average, 63) << 6
            | step(0.5 + 0.5 * redGreen.average, 63) << 12 | step(light.scale, 31) << 18 | (hasAlpha ? 1 << 23 : 0)
        let second =
            (isLandscape ? down : across) | step(yellowBlue.scale, 63) << 3 | step(redGreen.scale, 63) << 9
            | (isLandscape ? 1 << 15 : 0)
        var bytes = [first & 255, first >> 8 & 255, first >> 16, second & 255, second >> 8]
        if let alpha { bytes.append(step(alpha.average, 15) | step(alpha.scale, 15) << 4) }
        var isUpper = false
        for part in [light, yellowBlue, redGreen, alpha] {
            for wave in part?.waves ?? [] {
                let nibble = step(wave, 15)
                if isUpper { bytes[bytes.count - 1] |= nibble << 4 } else { bytes.append(nibble) }
                isUpper.toggle()
            }
        }
        return Data(bytes.map { UInt8(truncatingIfNeeded: $0) })
    }

    /// Returns the nearest of `steps` + 1 steps from 0 to 1.
    private static func step(_ value: Double, _ steps: Double) -> Int {
        Int((min(max(value, 0), 1) * steps).rounded())
    }

    /// The waves of a channel that a hash holds.
    private struct Spectrum {
        let average: Double
        /// The wave heights from 0 to 1, where 0.5 means no wave; row by row, without the constant.
        let waves: [Double]
        /// The height that 0 and 1 represent.
        let scale: Double

        init(_ channel: [Double], width: Int, height: Int, across: Int, down: Int) {
            let horizontal = CosineTable(count: across, length: width, shift: 0.5)
            let vertical = CosineTable(count: down, length: height, shift: 0.5)
            var strengths: [Double] = []
            for y in 0..<down {
                for x in 0..<across where x * down < across * (down - y) {
                    var sum = 0.0
                    for row in 0..<height {
                        var line = 0.0
                        for column in 0..<width { line += channel[row * width + column] * horizontal[column, x] }
                        sum += line * vertical[row, y]
                    }
                    strengths.append(sum / Double(width * height))
                }
            }
            average = strengths[0]
            let rest = strengths.dropFirst()
            let largest = rest.map { abs($0) }.max() ?? 0
            scale = largest
            waves = rest.map { largest > 0 ? 0.5 + 0.5 / largest * $0 : $0 }
        }
    }
}

/// The values of `count` cosine waves at every pixel of a line: 0, 1, 2… half waves over `length` pixels.
struct CosineTable {
    private let count: Int
    private let values: [Double]

    /// - Parameter shift: the position in a pixel where the wave is sampled: 0 for its start, 0.5 for its middle.
    init(count: Int, length: Int, shift: Double) {
        self.count = count
        var values: [Double] = []
        values.reserveCapacity(count * length)
        for pixel in 0..<length {
            for wave in 0..<count {
                values.append(cos(Double.pi * Double(wave) * (Double(pixel) + shift) / Double(length)))
            }
        }
        self.values = values
    }

    subscript(pixel: Int, wave: Int) -> Double { values[pixel * count + wave] }
}
