package import FirnImage
package import FoundationEssentials

/// Decodes GIF: every frame, composited on the logical screen, with a transparent background as in browsers.
///
/// Blocks and codes are read as the bytes arrive; nothing requires the end of the file.
///
/// - Source: GIF89a specification.
package struct GIFDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `gif` for content that starts with a GIF signature.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .gif ? .gif : nil
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(GIFReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
