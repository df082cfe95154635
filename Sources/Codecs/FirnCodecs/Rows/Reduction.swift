import FirnImage
import FirnSync

/// Decides how far an image is reduced by averaging before the resize to its exact size.
///
/// An average alone is a poor filter: it is soft, and lets some detail through that is too fine for the new image. If
/// the resize after it still halves the image, little of that remains. For an image with stripes finer than the new
/// pixels, made an eighth as wide, the mean difference from the Lanczos resize of the whole is 1.0 levels, and 2.3 for
/// an average alone (`AreaReducerTests`). Pillow's `reducing_gap` is the same method, and its documentation finds 2
/// close.
enum Reduction {
    /// The least ratio that remains for the resize.
    static let gap = 2.0

    /// Returns the size to which `size` is reduced if `least` is requested.
    ///
    /// Both sides are divided by the same whole number, so that the image keeps its ratio, and all new pixels cover the
    /// same number of old ones, except the last of a row or column, which may cover a fraction. The longer side
    /// decides: the other one was rounded more. An image whose longer side is less than twice ``gap`` times the
    /// requested one stays as it is.
    static func size(of size: PixelSize, covering least: PixelSize) -> PixelSize {
        let (horizontal, vertical) = (factor(size.width, least.width), factor(size.height, least.height))
        let reduced = size.divided(by: size.width > size.height ? horizontal : vertical)
        // The requested size may have another ratio.
        return reduced.covers(least) ? reduced : size.divided(by: min(horizontal, vertical))
    }

    private static func factor(_ side: Int, _ least: Int) -> Int {
        max(1, Int(saturating: (Double(side) / Double(max(least, 1)) / gap).rounded(.down)))
    }
}
