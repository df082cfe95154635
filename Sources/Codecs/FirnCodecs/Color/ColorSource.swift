import CFirnCodecs
import FirnSync
import FoundationEssentials

/// The source of an image's color interpretation: a profile or a description.
enum ColorSource: Hashable {
    case profile(ColorProfile)
    case description(ColorDescription)

    /// Chooses the source for an image; `nil` if the colors are sRGB because the file says nothing else.
    ///
    /// A profile takes precedence, except over the code points of a PNG, which exist to override it. A profile for
    /// another color model than the pixels' is ignored, as all decoders do; gray pixels may have an RGB profile.
    ///
    /// - Source: PNG (third edition) §4.3, table 1 (cICP, iCCP, sRGB, gAMA and cHRM in this order); ISO/IEC 23000-22
    ///   §7.3.6.4 for files that hold both.
    init?(_ properties: ImageProperties) {
        let profile = properties.colorProfile.flatMap { ColorSource.fits($0, properties.colorSpace) ? $0 : nil }
        let isInk = properties.colorSpace == "cmyk" || properties.colorSpace == "ycck"
        let description = isInk ? nil : properties.colorDescription
        let isPNG = properties.format == .png || properties.format == .apng
        if let description, profile == nil || (isPNG && description.hasCodePoints) {
            self = .description(description)
        } else if let profile {
            self = .profile(profile)
        } else {
            return nil
        }
    }

    private static func fits(_ profile: ColorProfile, _ space: String) -> Bool {
        switch space {
        case "gray": profile.model == .gray || profile.model == .rgb
        case "cmyk", "ycck": profile.model == .cmyk
        default: profile.model == .rgb
        }
    }
}

extension ColorDescription {
    /// True if the file has code points of H.273.
    var hasCodePoints: Bool { primariesCode != nil || transferCode != nil }
}

extension firn_color {
    /// Converts the description to the C interface's type; leaves out numbers that no file can hold.
    init(_ description: ColorDescription) {
        self.init()
        primaries = UInt16(clamping: description.primariesCode ?? 0)
        transfer = UInt16(clamping: description.transferCode ?? 0)
        gamma = firn_color.parts(description.gamma ?? 0) ?? 0
        guard let points = description.primaries else { return }
        let all = [points.white, points.red, points.green, points.blue].flatMap { [$0.x, $0.y] }
        let numbers = all.compactMap { firn_color.parts($0) }
        guard numbers.count == 8 else { return }
        has_chromaticities = true
        chromaticities = (
            numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7]
        )
    }

    /// Returns `number` in units of 1/100,000.
    private static func parts(_ number: Double) -> UInt32? {
        let scaled = (number * 100_000).rounded()
        return scaled >= 0 && scaled <= 1e9 ? UInt32(saturating: scaled) : nil
    }
}

extension ColorProfile {
    /// Creates the color space that a file describes; `nil` if that is sRGB, or without memory. High dynamic range has
    /// no bytes, because profiles state no luminance.
    init?(describing description: ColorDescription) {
        guard !description.isHighDynamicRange else {
            self.init(icc: Data(), describing: description)
            return
        }
        var color = firn_color(description)
        var length = 0
        guard let bytes = firn_described_icc(&color, &length) else { return nil }
        self.init(icc: Data(bytesNoCopy: bytes, count: length, deallocator: .free), describing: description)
    }
}

extension ImageProperties {
    /// Returns whether a file of `format` can hold the stored values of the image together with what their colors are.
    package func keepsColors(in format: ImageFormat) -> Bool {
        // Neither has a place for a profile.
        if [.gif, .ico].contains(format) { return false }
        return switch ColorSource(self) {
        case nil: false
        case .profile(let profile): profile.model == .rgb
        case .description(let description):
            !description.isHighDynamicRange || [.png, .avif, .jxl].contains(format)
        }
    }
}
