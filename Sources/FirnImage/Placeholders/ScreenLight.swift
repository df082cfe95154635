/// Encoded 8-bit values of linear light, by a table: a power for every component of a placeholder would take longer than
/// all the rest of it.
enum ScreenLight {
    /// Fine enough that the darkest, steepest part of the curve is off by a fifth of a step at most.
    private static let steps = 16_384
    private static let bytes: [UInt8] = (0...steps).map {
        UInt8((LinearLight.encode(Double($0) / Double(steps)) * 255).rounded())
    }

    /// The encoded value of light, which is cut to 0...1; 0 for what is no number.
    static func byte(_ light: Double) -> UInt8 {
        guard light > 0 else { return 0 }
        return light < 1 ? bytes[Int((light * Double(steps)).rounded())] : 255
    }
}
