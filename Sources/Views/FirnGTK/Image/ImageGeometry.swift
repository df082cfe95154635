#if GTK
import FirnImage

/// The position and size of an image in a view, in the view's units.
///
/// Positions are whole device pixels, and an image decoded for this view is painted pixel by pixel: resampling costs
/// more than painting.
struct ImageGeometry: Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
}

extension ImageGeometry {
    /// - Parameters:
    ///   - image: the size of the image in pixels.
    ///   - width: the width of the view.
    ///   - height: the height of the view.
    ///   - scale: device pixels for each unit.
    ///   - mode: whether the image fits inside the view or covers it.
    init(_ image: PixelSize, inWidth width: Double, height: Double, scale: Double, mode: ImageContentMode) {
        guard !image.isEmpty, width > 0, height > 0, scale > 0 else {
            self.init(x: 0, y: 0, width: 0, height: 0)
            return
        }
        let view = PixelSize(
            width: Int((width * scale).rounded()), height: Int((height * scale).rounded()))
        let fitted = TargetSize(view, mode: mode, upscale: true).resolved(for: image)
        // An image that was resized for this view may differ by one pixel because of rounding.
        let isExact = abs(fitted.width - image.width) <= 1 && abs(fitted.height - image.height) <= 1
        let painted = isExact ? image : fitted
        self.init(
            x: Double((view.width - painted.width) >> 1) / scale,
            y: Double((view.height - painted.height) >> 1) / scale,
            width: Double(painted.width) / scale, height: Double(painted.height) / scale)
    }

    /// Returns the part that is inside a view of the given size; `nil` if there is none.
    func clipped(toWidth viewWidth: Double, height viewHeight: Double) -> ImageGeometry? {
        let (left, top) = (max(0, x), max(0, y))
        let (right, bottom) = (min(viewWidth, x + width), min(viewHeight, y + height))
        guard right > left, bottom > top else { return nil }
        return ImageGeometry(x: left, y: top, width: right - left, height: bottom - top)
    }
}
#endif
