public import FirnImage
public import FoundationEssentials

/// Decodes WebP by libwebp: lossy, lossless, with alpha; of an animation every frame, composited on its canvas.
///
/// Rows come as the bytes do. A still is scaled to the target size while it is decoded.
/// - Source: RFC 9649.
public struct WebPDecoder: ImageDecoding {
    /// A decoder; it holds nothing.
    public init() {}

    /// `webp` for content that starts with a WebP header.
    public func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .webp ? .webp : nil
    }

    /// Starts decoding one file.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(WebPReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
