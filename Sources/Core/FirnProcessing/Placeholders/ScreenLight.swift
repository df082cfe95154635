internal import FirnImage

/// Converts linear light to encoded 8-bit values by a table, because a power for each component would take most of the
/// time of a placeholder.
enum ScreenLight {
    /// Fine enough that the darkest, steepest part of the curve is off by at most a fifth of a step.
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
