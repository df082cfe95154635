import FirnImage

extension FormatDecoder {
    /// Decodes PNG with libpng: all color types and depths, interlaced or not, and every frame of an animated PNG,
    /// composited.
    ///
    /// Rows are decoded as the bytes arrive; rows of an interlaced image appear all over it. If the request asks for 8
    /// bits, 16-bit samples are cut to their high byte.
    ///
    /// - Source: W3C PNG (third edition).
    package static let png = FormatDecoder(.png, .apng) { PNGReader(limits: $0, host: $1) }
}
