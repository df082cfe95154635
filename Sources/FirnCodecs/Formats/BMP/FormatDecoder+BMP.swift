import FirnImage

extension FormatDecoder {
    /// Decodes Windows and OS/2 bitmaps: 1 to 32 bits, palettes, masks, run lengths, embedded JPEG and PNG.
    ///
    /// - Source: [MS-WMF] §2.2.2; Documentation/Formats/bmp.md.
    package static let bmp = FormatDecoder(.bmp) { BMPReader(limits: $0, host: $1) }
}
