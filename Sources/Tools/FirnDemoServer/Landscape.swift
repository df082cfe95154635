import FirnReport
import FirnSystem
import FirnTesting

/// A drawing of hills under a low sun, generated from a seed: for demonstrations without photographs.
struct Landscape: Sendable {
    let seed: UInt64
    let size: PixelSize

    /// Draws the image, with a label in a corner.
    ///
    /// - Throws: `ImageError` if there is no memory for it.
    func draw(label: String? = nil) throws -> Bitmap {
        var random = SeededGenerator(seed: seed)
        // From noon to dusk: blue and violet at the top; pale, yellow, orange or rose at the horizon.
        let hue = 0.52 + 0.26 * random.unit()
        let top = Landscape.color(hue: hue, saturation: 0.45 + 0.3 * random.unit(), value: 0.35 + 0.5 * random.unit())
        let horizon = Landscape.color(
            hue: 0.95 + 0.2 * random.unit(), saturation: 0.15 + 0.45 * random.unit(), value: 0.97)
        let sun = (
            x: Double(size.width) * (0.15 + 0.7 * random.unit()), y: Double(size.height) * (0.2 + 0.25 * random.unit()),
            radius: Double(min(size.width, size.height)) * (0.04 + 0.04 * random.unit())
        )
        let ground = hue - 0.3 * random.unit()
        return try Canvas.draw(size) { canvas in
            for y in 0..<size.height {
                let sky = Landscape.mix(top, horizon, min(1, Double(y) / (0.7 * Double(size.height))))
                for x in 0..<size.width {
                    let (dx, dy) = (Double(x) - sun.x, Double(y) - sun.y)
                    let near = sun.radius * sun.radius / max(1, dx * dx + dy * dy)
                    canvas.set(x, y, near >= 1 ? Landscape.white : Landscape.mix(sky, Landscape.white, near * 0.8))
                }
            }
            for number in 0..<5 { drawRidge(number, hue: ground, horizon, &random, on: canvas) }
            if let label {
                let font = LabelFont(scale: 2, usesPango: false)
                let plate = PixelSize(width: font.width(of: label) + 12, height: 20)
                canvas.fill(PixelArea(x: 4, y: size.height - 24, size: plate), Landscape.black)
                font.draw(label, x: 10, y: size.height - 21, Landscape.white, on: canvas)
            }
        }
    }

    private static let white = SRGBColor(red: 255, green: 250, blue: 235)
    private static let black = SRGBColor(red: 20, green: 22, blue: 28)

    /// Draws hills from the horizon (0) to the front (4). Nearer ones are darker, lower and rounder.
    private func drawRidge(
        _ number: Int, hue: Double, _ horizon: SRGBColor, _ random: inout SeededGenerator, on canvas: borrowing Canvas
    ) {
        let base = 0.45 + 0.11 * Double(number) + 0.04 * random.unit()
        // The half periods across the image and the phases of waves, each half as high as the one before.
        let waves = (0..<5).map { ((1.5 + random.unit()) * Double(1 << $0), random.unit() * 2 * Double.pi) }
        let near = Landscape.color(hue: hue - 0.15 + 0.2 * random.unit(), saturation: 0.55, value: 0.16)
        let color = Landscape.mix(horizon, near, 0.25 + 0.15 * Double(number + 1))
        for x in 0..<size.width {
            var height = base
            for (number, (length, shift)) in waves.enumerated() {
                height -= 0.07 / Double(1 << number) * sin(Double(x) / Double(size.width) * length * Double.pi + shift)
            }
            let top = Int(Double(size.height) * height)
            canvas.fill(PixelArea(x: x, y: top, size: PixelSize(width: 1, height: size.height)), color)
        }
    }

    private static func mix(_ a: SRGBColor, _ b: SRGBColor, _ part: Double) -> SRGBColor {
        func sample(_ a: UInt8, _ b: UInt8) -> UInt8 {
            UInt8(min(255, max(0, Double(a) + (Double(b) - Double(a)) * part)))
        }
        return SRGBColor(red: sample(a.red, b.red), green: sample(a.green, b.green), blue: sample(a.blue, b.blue))
    }

    private static func color(hue: Double, saturation: Double, value: Double) -> SRGBColor {
        func sample(_ shift: Double) -> UInt8 {
            let place = (hue * 6 + shift).truncatingRemainder(dividingBy: 6)
            let part = max(0, min(1, min(place, 4 - place)))
            return UInt8(255 * (value - value * saturation * part))
        }
        return SRGBColor(red: sample(5), green: sample(3), blue: sample(1))
    }
}

extension SeededGenerator {
    /// Returns a number from 0 to 1.
    fileprivate mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
