import FirnImage

/// How far an image is reduced by averages before the resize that gives it its exact size.
///
/// An average is a poor filter by itself: it is soft, and lets through some of what is too fine for the new image.
/// Where the resize after it still halves the image, little of that is left: of an image with stripes finer than the
/// new pixels, made an eighth as wide, 1.0 levels in the mean against the Lanczos resize of the whole, and 2.3 for an
/// average alone (`AreaReducerTests`). Pillow's `reducing_gap` is the same thing, and its documentation finds 2 close.
enum Reduction {
    /// Least ratio that is left to the resize.
    static let gap = 2.0

    /// The size to which `size` is reduced where `least` is wanted.
    ///
    /// Each side is divided by a whole number, so that all new pixels cover the same number of old ones but for the
    /// fraction that the last one would lack. Sides at less than twice ``gap`` times what is wanted stay as they are.
    static func size(of size: PixelSize, covering least: PixelSize) -> PixelSize {
        PixelSize(width: side(size.width, least.width), height: side(size.height, least.height))
    }

    /// The size of every `level`-th pixel of `size`.
    static func size(of size: PixelSize, level: Int) -> PixelSize {
        PixelSize(width: divided(size.width, by: level), height: divided(size.height, by: level))
    }

    private static func side(_ side: Int, _ least: Int) -> Int {
        divided(side, by: Int((Double(side) / Double(max(least, 1)) / gap).rounded(.down)))
    }

    /// Rounded up, so that nothing becomes 0.
    private static func divided(_ side: Int, by factor: Int) -> Int {
        factor > 1 ? side / factor + (side % factor == 0 ? 0 : 1) : side
    }
}
