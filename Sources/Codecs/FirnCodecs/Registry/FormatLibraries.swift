import CFirnCodecs
import FirnImage

/// The libraries that decode in this build.
package enum FormatLibraries {
    private static let codecs: [(name: String, trait: String?, codec: firn_codec)] = [
        ("JPEG", nil, FIRN_CODEC_JPEG), ("PNG", nil, FIRN_CODEC_PNG), ("WebP", nil, FIRN_CODEC_WEBP),
        ("AVIF", "AVIF", FIRN_CODEC_AVIF), ("HEIC", "HEIC", FIRN_CODEC_HEIC), ("JPEG XL", "JPEGXL", FIRN_CODEC_JXL),
        ("TIFF", "TIFF", FIRN_CODEC_TIFF), ("SVG", "SVG", FIRN_CODEC_SVG),
    ]

    /// A line for each format: its libraries and their versions, and what they cannot do.
    ///
    /// A small AVIF and HEIC image is decoded for it, since libavif and libheif may be there without a decoder.
    package static func lines() -> [String] {
        codecs.map { name, trait, codec in
            guard firn_codec_is_built_in(codec) else {
                return "\(name): not in this build; enable the package trait \(trait ?? name)"
            }
            let libraries = text { firn_codec_library(codec, $0, $1) }
            var works = true
            let reason = text { works = firn_codec_works(codec, $0, $1) }
            return works ? "\(name): \(libraries)" : "\(name): \(libraries); cannot decode: \(reason)"
        }
    }

    private static func text(_ write: (UnsafeMutablePointer<CChar>, Int) -> Void) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            base.initialize(to: 0)
            write(base, buffer.count)
            return String(cString: base)
        }
    }
}
