internal import FoundationEssentials

extension ThumbHash {
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
