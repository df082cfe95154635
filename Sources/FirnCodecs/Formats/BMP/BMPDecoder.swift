package import FirnImage
package import FoundationEssentials

/// Decodes Windows and OS/2 bitmaps: 1 to 32 bits, palettes, masks, run lengths, embedded JPEG and PNG.
///
/// - Source: [MS-WMF] §2.2.2; Documentation/Formats/bmp.md.
package struct BMPDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `bmp` for content that starts with "BM".
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head).flatMap { $0 == .bmp ? $0 : nil }
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(BMPReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
