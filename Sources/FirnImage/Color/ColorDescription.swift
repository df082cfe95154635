/// How colors are meant, told by code points or numbers instead of a profile.
///
/// Source: ITU-T H.273 (07/2021) §8.1 and §8.2; PNG (third edition) §11.3.2.
package struct ColorDescription: Hashable, Sendable {
    /// A point of the CIE 1931 diagram.
    package struct Chromaticity: Hashable, Sendable {
        /// The point's x.
        package var x: Double
        /// The point's y.
        package var y: Double

        /// A point.
        package init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// The white point and the primaries.
    package struct Primaries: Hashable, Sendable {
        /// The white point.
        package var white: Chromaticity
        /// The red primary.
        package var red: Chromaticity
        /// The green primary.
        package var green: Chromaticity
        /// The blue primary.
        package var blue: Chromaticity

        /// A set of primaries.
        package init(white: Chromaticity, red: Chromaticity, green: Chromaticity, blue: Chromaticity) {
            self.white = white
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    /// `ColorPrimaries` of H.273; `nil` where the file does not say.
    package var primariesCode: Int?
    /// `TransferCharacteristics` of H.273; `nil` where the file does not say.
    package var transferCode: Int?
    /// Stored value = light to the power of this (PNG's gAMA); `nil` where the file does not say.
    package var gamma: Double?
    /// White point and primaries by numbers (PNG's cHRM).
    package var primaries: Primaries?

    /// Nothing is said.
    package init() {}

    /// Perceptual quantizer (SMPTE ST 2084) or hybrid log-gamma (ARIB STD-B67).
    package var isHighDynamicRange: Bool { transferCode == 16 || transferCode == 18 }
}
