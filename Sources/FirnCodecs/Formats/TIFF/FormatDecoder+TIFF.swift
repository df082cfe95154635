import CFirnCodecs
import FirnImage

extension FormatDecoder {
    /// Decodes TIFF and BigTIFF with libtiff: pages are frames, read strip by strip or tile by tile.
    ///
    /// A build without the package trait `TIFF` recognizes the format, but decoding it fails.
    ///
    /// - Source: TIFF 6.0.
    package static let tiff = FormatDecoder(.tiff, library: FIRN_CODEC_TIFF, access: .whole, trait: "TIFF")
}
