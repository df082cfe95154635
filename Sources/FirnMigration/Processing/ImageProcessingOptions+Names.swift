public import Firn
public import FirnImage

extension ImageContentMode {
    /// The whole size is covered: `fill`.
    public static var aspectFill: ImageContentMode { .fill }
    /// The whole image is inside: `fit`.
    public static var aspectFit: ImageContentMode { .fit }
}

extension ImageProcessingOptions {
    /// `ImageContentMode`, whose cases are `fit` and `fill`.
    public typealias ContentMode = ImageContentMode
}

extension ImageProcessingOptions.Unit {
    /// A screen's points have a scale, which Firn does not look up.
    @available(*, unavailable, message: "use .points(scale:) with the scale of the screen, or .pixels")
    public static var points: ImageProcessingOptions.Unit { .points(scale: 1) }
}

extension SRGBColor {
    /// Opaque black.
    public static var black: SRGBColor { SRGBColor(red: 0, green: 0, blue: 0) }
    /// Opaque gray of half the white's value.
    public static var gray: SRGBColor { SRGBColor(red: 128, green: 128, blue: 128) }
    /// Opaque red.
    public static var red: SRGBColor { SRGBColor(red: 255, green: 0, blue: 0) }
    /// Opaque green.
    public static var green: SRGBColor { SRGBColor(red: 0, green: 255, blue: 0) }
    /// Opaque blue.
    public static var blue: SRGBColor { SRGBColor(red: 0, green: 0, blue: 255) }
}
