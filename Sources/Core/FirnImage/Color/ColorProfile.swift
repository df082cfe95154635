public import FoundationEssentials

/// A color space described by an ICC profile.
///
/// Source: ICC.1:2022 (profile version 4.4) §7.2, the profile header.
public struct ColorProfile: Hashable, Sendable {
    /// The color model of the pixels.
    package enum Model: String, Hashable, Sendable {
        case gray = "GRAY", rgb = "RGB ", cmyk = "CMYK", lab = "Lab "
    }

    /// The bytes of the profile; empty for colors that only code points describe (high dynamic range).
    public let icc: Data
    /// The color model of the pixels.
    package let model: Model
    /// The description that the profile was made of; `nil` for a profile of a file.
    package let description: ColorDescription?

    /// Reads the header of an ICC profile.
    ///
    /// Fails if `icc` is shorter than the header of 128 bytes, lacks the `acsp` signature, or has a color model other
    /// than gray, RGB, CMYK and Lab. Only the header is checked.
    public init?(icc: Data) {
        let bytes = [UInt8](icc.prefix(128))
        guard bytes.count == 128, bytes[36..<40].elementsEqual("acsp".utf8),
            let model = Model(rawValue: String(decoding: bytes[16..<20], as: UTF8.self))
        else { return nil }
        self.icc = icc
        self.model = model
        description = nil
    }

    /// Creates the RGB color space of a description.
    ///
    /// - Parameter icc: the profile of the same colors; empty if there is none.
    package init(icc: Data, describing description: ColorDescription) {
        self.icc = icc
        self.description = description
        model = .rgb
    }
}

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
