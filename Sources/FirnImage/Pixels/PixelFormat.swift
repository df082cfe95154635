/// The layout of the bytes of a pixel.
public enum PixelFormat: String, Hashable, Sendable, CaseIterable {
    /// Blue, green, red, alpha, a byte each; colors multiplied by alpha. What screens take; the default.
    case bgra8Premultiplied
    /// Red, green, blue, alpha, a byte each; colors not multiplied by alpha. For tools and encoders.
    case rgba8Straight
    /// Red, green, blue, a byte each, opaque. What GTK 4 paints without blending.
    case rgb8
    /// Red, green, blue, alpha, 16 bits each in the machine's order; colors not multiplied by alpha, encoded as those
    /// of 8 bits are. For tools and encoders that keep more than 8 bits.
    case rgba16Straight
    /// Red, green, blue, alpha, each an IEEE 754 half float in the machine's order; colors multiplied by alpha.
    ///
    /// Colors are linear light with the primaries of sRGB: 1 is the white of a page (203 cd/m² of a scene for bright
    /// screens), more is brighter, and negative components are colors that sRGB does not have. What GDK takes as
    /// `GDK_MEMORY_R16G16B16A16_FLOAT_PREMULTIPLIED`, after its colors were made linear.
    /// - Source: IEEE 754-2019 §3.6 (binary16); ITU-R BT.2408-7 §2.1 for 203 cd/m².
    case rgbaHalfPremultiplied

    /// Bytes of one pixel.
    public var bytesPerPixel: Int {
        switch self {
        case .rgb8: 3
        case .bgra8Premultiplied, .rgba8Straight: 4
        case .rgba16Straight, .rgbaHalfPremultiplied: 8
        }
    }

    /// Whether pixels have an alpha.
    public var hasAlpha: Bool { self != .rgb8 }

    /// Whether components have more than 8 bits.
    public var isWide: Bool { bytesPerPixel > 4 }
}
