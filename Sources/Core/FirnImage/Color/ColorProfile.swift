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
    /// The description that the profile was created from; `nil` for a file's profile.
    package let description: ColorDescription?
    /// The light of the pixels; states nothing for a file's profile.
    package let light: ImageLight

    /// The rule for colors that the target of a conversion lacks.
    public enum RenderingIntent: String, Hashable, Sendable, CaseIterable {
        /// As the profiles define it: mostly all colors are moved a little. The default of browsers.
        case perceptual
        /// Keeps the other colors, relative to white, and maps the darkest color to the darkest one of the target
        /// (black point compensation).
        case relative
    }

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
        (description, light) = (nil, ImageLight())
    }

    /// Creates the RGB color space of a description.
    ///
    /// - Parameters:
    ///   - icc: the profile of the same colors; empty if there is none.
    ///   - light: states more about the colors. Default: nothing.
    package init(icc: Data, describing description: ColorDescription, light: ImageLight = ImageLight()) {
        self.icc = icc
        self.description = description
        model = .rgb
        var light = light
        (light.primaries, light.transfer) = (description.primariesCode, description.transferCode)
        self.light = light
    }

    /// True if pixels are RGB.
    package var isRGB: Bool { model == .rgb }

    /// True if pixels have the transfer function of PQ or HLG.
    package var isHighDynamicRange: Bool { light.dynamicRange != nil }

    /// The profile's name, such as `Display P3`; `nil` if it has none.
    ///
    /// In English if available, otherwise in the first language.
    ///
    /// - Source: ICC.1:2022 §7.3, tag `desc` of §9.2.41; §10.15, `multiLocalizedUnicodeType`; ICC.1:2001 §6.5.17,
    ///   `textDescriptionType`.
    public var name: String? {
        let file = ICCBytes(bytes: [UInt8](icc))
        guard let count = file.number(128, 4) else { return nil }
        // Profiles have about ten tags.
        for index in 0..<min(count, 100) {
            let entry = 132 + 12 * index
            guard file.bytes.dropFirst(entry).prefix(4).elementsEqual("desc".utf8),
                let start = file.number(entry + 4, 4)
            else { continue }
            let text = file.text(start)?.withoutControlCharacters
            return text?.isEmpty == false ? text : nil
        }
        return nil
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
        package var white: Chromaticity
        package var red: Chromaticity
        package var green: Chromaticity
        package var blue: Chromaticity

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

    package init() {}

    /// True if the transfer function is the perceptual quantizer (SMPTE ST 2084) or hybrid log-gamma (ARIB STD-B67).
    package var isHighDynamicRange: Bool { transferCode == 16 || transferCode == 18 }
}

/// The bytes of a profile. Accesses beyond them return `nil`.
private struct ICCBytes {
    let bytes: [UInt8]
    /// The most bytes of a name.
    private static let longest = 400

    /// Returns a big-endian number of `length` bytes, at most 4.
    func number(_ offset: Int, _ length: Int) -> Int? {
        guard offset <= bytes.count - length else { return nil }
        return bytes[offset..<offset + length].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the text of a tag's content.
    func text(_ start: Int) -> String? {
        let type = bytes.dropFirst(start).prefix(4)
        if type.elementsEqual("desc".utf8) {
            guard let count = number(start + 8, 4) else { return nil }
            let characters = bytes.dropFirst(start + 12).prefix(min(count, ICCBytes.longest)).prefix { $0 != 0 }
            return String(decoding: characters, as: UTF8.self)
        }
        guard type.elementsEqual("mluc".utf8), let count = number(start + 8, 4) else { return nil }
        // Each record has language, country, length and offset.
        let records = (0..<min(count, 100)).map { start + 16 + 12 * $0 }
        let english = records.first { bytes.dropFirst($0).prefix(2).elementsEqual("en".utf8) }
        guard let record = english ?? records.first, let length = number(record + 4, 4),
            let offset = number(record + 8, 4)
        else { return nil }
        let units = stride(from: 0, to: min(length, ICCBytes.longest) - 1, by: 2).compactMap { index in
            number(start + offset + index, 2).flatMap { UInt16(exactly: $0) }
        }
        return String(decoding: units, as: UTF16.self)
    }
}

extension String {
    /// The text without control characters and superfluous spaces.
    package var withoutControlCharacters: String {
        let scalars = unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
    }
}
