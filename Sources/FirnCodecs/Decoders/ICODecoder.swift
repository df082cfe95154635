public import FirnImage
public import FoundationEssentials

/// Decodes Windows icons and cursors: bitmaps with their masks, and PNG. Frame 0 is the largest image.
///
/// - Source: Win32 "Icons"; Documentation/Formats/ico.md.
public struct ICODecoder: ImageDecoding {
    /// A decoder; it holds nothing.
    public init() {}

    /// `ico` for content that starts as an icon's or a cursor's directory.
    public func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head).flatMap { $0 == .ico ? $0 : nil }
    }

    /// Starts decoding one file.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(ICOReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
