package import FirnImage
package import FoundationEssentials

/// Decodes Windows icons and cursors: bitmaps with their masks, and PNG. Frame 0 is the largest image.
///
/// - Source: Win32 "Icons"; Documentation/Formats/ico.md.
package struct ICODecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `ico` for content that starts like the directory of an icon or a cursor.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head).flatMap { $0 == .ico ? $0 : nil }
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(ICOReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
