public import FirnImage
public import FoundationEssentials

/// Decodes GIF: every frame, composited on the logical screen, with a transparent background as in browsers.
///
/// Blocks and codes are read as the bytes arrive; nothing requires the end of the file.
///
/// - Source: GIF89a specification.
public struct GIFDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    public init() {}

    /// Returns `gif` for content that starts with a GIF signature.
    public func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .gif ? .gif : nil
    }

    /// Starts decoding one file.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(GIFReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
