import CFirnCodecs
import FirnImage
import FoundationEssentials

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
