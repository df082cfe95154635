/// A color space described by code points or numbers instead of a profile.
///
/// Source: ITU-T H.273 (07/2021) §8.1 and §8.2; PNG (third edition) §11.3.2.
package struct ColorDescription: Hashable, Sendable {
    /// A point of the CIE 1931 chromaticity diagram.
    package typealias Chromaticity = SIMD2<Double>

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

        /// Creates a set of primaries.
        package init(white: Chromaticity, red: Chromaticity, green: Chromaticity, blue: Chromaticity) {
            self.white = white
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    /// `ColorPrimaries` of H.273; `nil` if the file states none.
    package var primariesCode: Int?
    /// `TransferCharacteristics` of H.273; `nil` if the file states none.
    package var transferCode: Int?
    /// The exponent that turns light into a stored value (PNG's gAMA); `nil` if the file states none.
    package var gamma: Double?
    /// White point and primaries as numbers (PNG's cHRM); `nil` if the file states none.
    package var primaries: Primaries?

    /// Creates an empty description.
    package init() {}

    /// True if the transfer function is the perceptual quantizer (SMPTE ST 2084) or hybrid log-gamma (ARIB STD-B67).
    package var isHighDynamicRange: Bool { transferCode == 16 || transferCode == 18 }
}
