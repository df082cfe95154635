internal import CFirnProcessing
import FirnSystem

/// Resizes encoded pixels in linear light, as defocus or distance averages an image.
///
/// Order: horizontal first, so that each row of the original is converted to linear light once. A ring buffer holds
/// rows of the result's width until the last window that uses them is done.
struct LinearResize {
    let horizontal: FilterWindows
    let vertical: FilterWindows
    let curve: LightCurve

    /// Mixes all rows of `source` into those of `target`.
    func run(_ source: SourceRows, into target: TargetRows, _ run: ProcessingRun) throws {
        let mixing = HorizontalPass(horizontal, scale: 1)
        let weights = vertical.weights.map { Float($0) }
        let (light, code) = (curve.light, curve.codes)
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
                    if curve.isRooted { LightCurve.root(floats, count: new / 4) }
                    code.withUnsafeBufferPointer { firn_row_through_table(floats, $0.baseAddress, new / 4) }
                    target.store(floats, y, count: new / 4)
                }
            }
        }
    }
}

/// The tables between encoded values and linear light, both from 0 to 1, of a transfer function.
struct LightCurve {
    /// The light of every encoded 16-bit value.
    let light: [Float]
    /// The encoded value of every 16-bit level of light, or of its eighth root.
    let codes: [Float]
    /// True if ``codes`` are those of the eighth root: PQ values differ at light of less than 10^-8.
    let isRooted: Bool

    static let srgb = LightCurve(
        light: LinearLight.ofWords, codes: levels.map { Float(LinearLight.encode($0)) }, isRooted: false)
    private static let pq = LightCurve(light: { light(pq: $0) }, codes: { code(pq: $0) })
    private static let hlg = LightCurve(light: { light(hlg: $0) }, codes: { code(hlg: $0) })
    private static let levels = (0...65_535).map { Double($0) / 65_535 }

    private init(light: [Float], codes: [Float], isRooted: Bool) {
        (self.light, self.codes, self.isRooted) = (light, codes, isRooted)
    }

    private init(light: (Double) -> Double, codes: (Double) -> Double) {
        self.init(
            light: LightCurve.levels.map { Float(light($0)) },
            codes: LightCurve.levels.map { Float(codes(pow($0, 8))) },
            isRooted: true)
    }

    /// Returns the curve of an image.
    static func of(_ image: Bitmap) -> LightCurve {
        switch image.light.transfer {
        case 16: pq
        case 18: hlg
        default: srgb
        }
    }

    // Source: ITU-R BT.2100-2, tables 4 and 5; light of 1 is 10,000 cd/m² for PQ, and scene light for HLG.

    private static func light(pq value: Double) -> Double {
        let root = pow(value, 1 / 78.84375)
        return pow(max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125)
    }

    private static func code(pq light: Double) -> Double {
        let power = pow(light, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }

    private static func light(hlg value: Double) -> Double {
        value <= 0.5 ? value * value / 3 : (exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
    }

    private static func code(hlg light: Double) -> Double {
        light <= 1.0 / 12 ? (3 * light).squareRoot() : 0.17883277 * log(12 * light - 0.28466892) + 0.55991073
    }

    /// Replaces the colors of `count` pixels, multiplied by alpha, by their eighth roots.
    static func root(_ floats: UnsafeMutablePointer<Float>, count: Int) {
        // Safety: the row has four floats for each pixel.
        let pixels = UnsafeMutableRawPointer(floats)
        for x in 0..<count {
            let pixel = pixels.loadUnaligned(fromByteOffset: 16 &* x, as: SIMD4<Float>.self)
            guard pixel.w > 0 else { continue }
            let color = pixel.replacing(with: 0, where: pixel .< 0) / pixel.w
            var root = color.squareRoot().squareRoot().squareRoot() * pixel.w
            root.w = pixel.w
            pixels.storeBytes(of: root, toByteOffset: 16 &* x, as: SIMD4<Float>.self)
        }
    }
}
