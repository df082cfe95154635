import CFirnCodecs
import FirnImage

extension FormatDecoder {
    /// Decodes HEIC and HEIF: image sequences with libde265, other files with libheif.
    ///
    /// Of a file without a sequence, frame 0 is the primary image; every other top-level image follows as a frame. A
    /// file that holds a sequence and a still is decoded as the sequence. A build without the package trait `HEIC`
    /// recognizes the format, but decoding it fails.
    ///
    /// - Source: ISO/IEC 23008-12.
    package static let heic = FormatDecoder(.heic, library: FIRN_CODEC_HEIC, trait: "HEIC") {
        HEIFReader(limits: $0, host: $1)
    }
}
