import CFirnCodecs
import FirnImage

extension FormatDecoder {
    /// Decodes JPEG XL with libjxl: stills and animations, bare or in a container, as the bytes arrive.
    ///
    /// A build without the package trait `JPEGXL` recognizes the format, but decoding it fails.
    ///
    /// - Source: ISO/IEC 18181-1 and 18181-2.
    package static let jxl = FormatDecoder(.jxl, library: FIRN_CODEC_JXL, access: .forwardsOrWhole, trait: "JPEGXL")
}
