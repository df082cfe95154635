import CFirnCodecs
public import FirnImage
public import FoundationEssentials

/// Renders SVG with librsvg at the requested size. Reads nothing outside the file.
///
/// A build without the package trait `SVG` recognizes the format, but decoding it fails.
///
/// - Source: SVG 1.1; CSS 2.1 §4.3.2 (96 pixels per inch).
public struct SVGDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    public init() {}

    /// Returns `svg` for text that starts with an `svg` element.
    public func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .svg ? .svg : nil
    }

    /// Starts decoding one file.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        #if FIRN_SVG
            FormatSession(
                LibraryReader(FIRN_CODEC_SVG, format: .svg, access: .whole, limits: limits), limits: limits,
                cancellation: cancellation)
        #else
            LeftOutSession(format: .svg, trait: "SVG")
        #endif
    }
}
