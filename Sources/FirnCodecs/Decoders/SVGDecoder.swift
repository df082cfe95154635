import CFirnCodecs
public import FirnImage
public import FoundationEssentials

/// Renders SVG by librsvg at the size that is wanted. Nothing outside the file is read.
///
/// A build without the package trait `SVG` recognizes the content and refuses it.
/// - Source: SVG 1.1; CSS 2.1 §4.3.2 (96 pixels to the inch).
public struct SVGDecoder: ImageDecoding {
    /// A decoder; it holds nothing.
    public init() {}

    /// `svg` for text that starts with an `svg` element.
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
