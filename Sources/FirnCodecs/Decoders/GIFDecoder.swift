public import FirnImage
public import FoundationEssentials

/// Decodes GIF: every frame, composited on the logical screen, with a transparent background as browsers have it.
///
/// Blocks and codes are read as the bytes come; nothing waits for the end of the file.
///
/// - Source: GIF89a specification.
public struct GIFDecoder: ImageDecoding {
    /// A decoder; it holds nothing.
    public init() {}

    /// `gif` for content that starts with a GIF signature.
    public func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .gif ? .gif : nil
    }

    /// Starts decoding one file.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(GIFReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
