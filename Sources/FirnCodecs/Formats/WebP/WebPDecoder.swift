package import FirnImage
package import FoundationEssentials

/// Decodes WebP with libwebp: lossy, lossless, with alpha, and every frame of an animation, composited on its canvas.
///
/// Rows are decoded as the bytes arrive. A still is scaled to the target size while it is decoded.
///
/// - Source: RFC 9649.
package struct WebPDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `webp` for content that starts with a WebP header.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .webp ? .webp : nil
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(WebPReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
