import CFirnCodecs
public import FirnImage
public import FoundationEssentials

/// Decodes GIF by giflib: the first frame, on the logical screen, with a transparent background.
///
/// - Source: GIF89a specification.
public struct GIFDecoder: ImageDecoding {
    /// A decoder; it holds nothing.
    public init() {}

    /// `gif` for content that starts with a GIF signature.
    public func recognises(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .gif ? .gif : nil
    }

    /// Starts decoding one file.
    public func makeSession(limits: DecodingLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(
            LibraryReader(FIRN_CODEC_GIF, format: .gif, access: .anywhere, limits: limits), limits: limits,
            cancellation: cancellation)
    }
}
