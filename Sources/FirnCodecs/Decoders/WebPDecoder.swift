public import FirnImage
public import FoundationEssentials

/// Decodes WebP with libwebp: lossy, lossless, with alpha, and every frame of an animation, composited on its canvas.
///
/// Rows are decoded as the bytes arrive. A still is scaled to the target size while it is decoded.
///
/// - Source: RFC 9649.
public struct WebPDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    public init() {}

    /// Returns `webp` for content that starts with a WebP header.
    public func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .webp ? .webp : nil
    }

    /// Starts decoding one file.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(WebPReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
