/// How the bytes of a pixel are laid out.
public enum PixelFormat: String, Hashable, Sendable {
    /// Blue, green, red, alpha, a byte each; colours multiplied by alpha. What screens take; the default.
    case bgra8Premultiplied
    /// Red, green, blue, alpha, a byte each; colours not multiplied by alpha. For tools and encoders.
    case rgba8Straight
    /// Red, green, blue, a byte each, opaque. What GTK 4 paints without blending.
    case rgb8

    /// Bytes of one pixel.
    public var bytesPerPixel: Int { self == .rgb8 ? 3 : 4 }

    /// Whether pixels have an alpha byte.
    public var hasAlpha: Bool { self != .rgb8 }
}
