import CFirnCodecs
package import FirnImage
package import FoundationEssentials

/// Renders SVG with librsvg at the requested size. Reads nothing outside the file.
///
/// A build without the package trait `SVG` recognizes the format, but decoding it fails.
///
/// - Source: SVG 1.1; CSS 2.1 §4.3.2 (96 pixels per inch).
package struct SVGDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `svg` for text that starts with an `svg` element.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .svg ? .svg : nil
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        #if FIRN_SVG
            FormatSession(
                LibraryReader(FIRN_CODEC_SVG, format: .svg, access: .whole, limits: limits), limits: limits,
                cancellation: cancellation)
        #else
            LeftOutSession(format: .svg, trait: "SVG")
        #endif
    }
}
