import FirnImage

extension FormatDecoder {
    /// Decodes GIF: every frame, composited on the logical screen, with a transparent background as in browsers.
    ///
    /// Blocks and codes are read as the bytes arrive; nothing requires the end of the file.
    ///
    /// - Source: GIF89a specification.
    package static let gif = FormatDecoder(.gif) { limits, _ in GIFReader(limits: limits) }
}
