import CFirnCodecs
package import FirnImage
package import FoundationEssentials

/// Decodes TIFF and BigTIFF with libtiff: pages are frames, read strip by strip or tile by tile.
///
/// A build without the package trait `TIFF` recognizes the format, but decoding it fails.
///
/// - Source: TIFF 6.0.
package struct TIFFDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `tiff` for content that starts with a TIFF header.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .tiff ? .tiff : nil
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        #if FIRN_TIFF
            FormatSession(
                LibraryReader(FIRN_CODEC_TIFF, format: .tiff, access: .whole, limits: limits), limits: limits,
                cancellation: cancellation)
        #else
            LeftOutSession(format: .tiff, trait: "TIFF")
        #endif
    }
}
