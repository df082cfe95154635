/// The byte layout of a pixel.
public enum PixelFormat: String, Hashable, Sendable, CaseIterable {
    /// Blue, green, red, alpha, 8 bits each; colors multiplied by alpha. The layout of displays and the default.
    case bgra8Premultiplied
    /// Red, green, blue, alpha, 8 bits each; colors not multiplied by alpha. For tools and encoders.
    case rgba8Straight
    /// Red, green, blue, 8 bits each, opaque. GTK 4 paints it without blending.
    case rgb8
    /// Red, green, blue, alpha, 16 bits each in the machine's byte order; colors not multiplied by alpha, encoded like
    /// 8-bit colors, or as ``Bitmap/light`` states. For tools and encoders that keep more than 8 bits.
    case rgba16Straight
    /// Red, green, blue, alpha, IEEE 754 half floats in the machine's byte order; colors multiplied by alpha.
    ///
    /// Colors are linear light with the primaries of sRGB: 1 is diffuse white (203 cd/m² in HDR), higher values are
    /// brighter, and negative components are colors outside sRGB. Corresponds to GDK's
    /// `GDK_MEMORY_R16G16B16A16_FLOAT_PREMULTIPLIED` in a linear color state.
    ///
    /// - Source: IEEE 754-2019 §3.6 (binary16); ITU-R BT.2408-7 §2.1 for 203 cd/m².
    case rgbaHalfPremultiplied

    /// The bytes of one pixel.
    public var bytesPerPixel: Int {
        switch self {
        case .rgb8: 3
        case .bgra8Premultiplied, .rgba8Straight: 4
        case .rgba16Straight, .rgbaHalfPremultiplied: 8
        }
    }

    /// True if pixels have alpha.
    public var hasAlpha: Bool { self != .rgb8 }

    /// True if components have more than 8 bits.
    public var isWide: Bool { bytesPerPixel > 4 }
}
