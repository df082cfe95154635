import CFirnCodecs
package import FirnImage
package import FoundationEssentials

/// Decodes JPEG XL with libjxl: stills and animations, bare or in a container, as the bytes arrive.
///
/// A build without the package trait `JPEGXL` recognizes the format, but decoding it fails.
///
/// - Source: ISO/IEC 18181-1 and 18181-2.
package struct JXLDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `jxl` for content that starts like a JPEG XL codestream or container.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .jxl ? .jxl : nil
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        #if FIRN_JXL
            FormatSession(
                LibraryReader(FIRN_CODEC_JXL, format: .jxl, access: .forwards, limits: limits), limits: limits,
                cancellation: cancellation)
        #else
            LeftOutSession(format: .jxl, trait: "JPEGXL")
        #endif
    }
}
