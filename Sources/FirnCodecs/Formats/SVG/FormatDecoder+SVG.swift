import CFirnCodecs
import FirnImage

extension FormatDecoder {
    /// Renders SVG with librsvg at the requested size. Reads nothing outside the file.
    ///
    /// A build without the package trait `SVG` recognizes the format, but decoding it fails.
    ///
    /// - Source: SVG 1.1; CSS 2.1 §4.3.2 (96 pixels per inch).
    package static let svg = FormatDecoder(.svg, library: FIRN_CODEC_SVG, access: .whole, trait: "SVG")
}
