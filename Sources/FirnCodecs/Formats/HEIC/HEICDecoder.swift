package import FirnImage
package import FoundationEssentials

/// Decodes HEIC and HEIF: image sequences with libde265, other files with libheif.
///
/// Of a file without a sequence, frame 0 is the primary image; every other top-level image follows as a frame. A file
/// that holds a sequence and a still is decoded as the sequence. A build without the package trait `HEIC` recognizes
/// the format, but decoding it fails.
///
/// - Source: ISO/IEC 23008-12.
package struct HEICDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `heic` for content whose `ftyp` box names a HEIF brand.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .heic ? .heic : nil
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        #if FIRN_HEIC
            FormatSession(HEIFReader(limits: limits), limits: limits, cancellation: cancellation)
        #else
            LeftOutSession(format: .heic, trait: "HEIC")
        #endif
    }
}
