import FirnImage

extension FormatDecoder {
    /// Decodes Windows icons and cursors: bitmaps with their masks, and PNG. Frame 0 is the largest image.
    ///
    /// - Source: Win32 "Icons"; Documentation/Formats/ico.md.
    package static let ico = FormatDecoder(.ico) { ICOReader(limits: $0, host: $1) }
}
