import CFirnCodecs
package import FirnImage
package import FoundationEssentials

/// Decodes AVIF with libavif: stills and sequences, with alpha, at 8, 10 and 12 bits.
///
/// A build without the package trait `AVIF` recognizes the format, but decoding it fails.
///
/// - Source: AV1 Image File Format 1.1; ISO/IEC 23008-12.
package struct AVIFDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `avif` for content whose `ftyp` box names an AVIF brand.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .avif ? .avif : nil
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        #if FIRN_AVIF
            FormatSession(
                LibraryReader(FIRN_CODEC_AVIF, format: .avif, access: .anywhere, limits: limits), limits: limits,
                cancellation: cancellation)
        #else
            LeftOutSession(format: .avif, trait: "AVIF")
        #endif
    }
}
