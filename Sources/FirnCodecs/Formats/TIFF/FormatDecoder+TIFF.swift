import CFirnCodecs
import FirnImage

extension FormatDecoder {
    /// Decodes TIFF and BigTIFF with libtiff: pages are frames, read strip by strip or tile by tile.
    ///
    /// Of a camera's raw file, the largest image that can be decoded is the only frame. A build without the package
    /// trait `TIFF` recognizes the format, but decoding it fails.
    ///
    /// - Source: TIFF 6.0.
    package static let tiff = FormatDecoder(.tiff, library: FIRN_CODEC_TIFF, trait: "TIFF") {
        TIFFReader(limits: $0, host: $1)
    }
}
