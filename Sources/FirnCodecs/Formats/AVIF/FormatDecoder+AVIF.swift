import CFirnCodecs
import FirnImage

extension FormatDecoder {
    /// Decodes AVIF with libavif: stills and sequences, with alpha, at 8, 10 and 12 bits.
    ///
    /// A build without the package trait `AVIF` recognizes the format, but decoding it fails.
    ///
    /// - Source: AV1 Image File Format 1.1; ISO/IEC 23008-12.
    package static let avif = FormatDecoder(.avif, library: FIRN_CODEC_AVIF, access: .anywhere, trait: "AVIF")
}
