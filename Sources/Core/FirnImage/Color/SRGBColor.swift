/// A color in sRGB with 8 bits per component, not multiplied by alpha.
public struct SRGBColor: Hashable, Sendable, CustomStringConvertible {
    /// Red.
    public var red: UInt8
    /// Green.
    public var green: UInt8
    /// Blue.
    public var blue: UInt8
    /// Opacity.
    public var alpha: UInt8

    /// Opaque white.
    public static let white = SRGBColor(red: 255, green: 255, blue: 255)
    /// Opaque black.
    public static let black = SRGBColor(red: 0, green: 0, blue: 0)
    /// Opaque gray, half of white's values.
    public static let gray = SRGBColor(red: 128, green: 128, blue: 128)
    /// Opaque red.
    public static let red = SRGBColor(red: 255, green: 0, blue: 0)
    /// Opaque green.
    public static let green = SRGBColor(red: 0, green: 255, blue: 0)
    /// Opaque blue.
    public static let blue = SRGBColor(red: 0, green: 0, blue: 255)
    /// Transparent black.
    public static let clear = SRGBColor(red: 0, green: 0, blue: 0, alpha: 0)

    /// Creates a color. Default: opaque.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// `#RRGGBB`, with two more digits if the color is not opaque.
    public var description: String {
        let components = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
        return components.reduce(into: "#") { text, component in
            text += component < 16 ? "0" : ""
            text += String(component, radix: 16, uppercase: true)
        }
    }
}
