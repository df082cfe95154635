import FirnSystem

/// The transfer function of sRGB: converts between encoded values and linear light, both from 0 to 1.
///
/// Source: IEC 61966-2-1:1999 §5.2.
package enum LinearLight {
    /// The light of every encoded 16-bit value. Takes 256 KiB; computed on first use.
    package static let ofWords: [Float] = (0...65_535).map { Float(decode(Double($0) / 65_535)) }

    /// Returns the light of an encoded value.
    package static func decode(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// Returns the encoded value of light.
    package static func encode(_ light: Double) -> Double {
        light <= 0.003_130_8 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// Returns the encoded 16-bit value of light, which is clamped to 0...1; 0 for NaN.
    package static func word(_ light: Float) -> UInt16 {
        guard light > 0 else { return 0 }
        guard light < 1 else { return 65_535 }
        return UInt16(exactly: (encode(Double(light)) * 65_535).rounded()) ?? 0
    }
}
