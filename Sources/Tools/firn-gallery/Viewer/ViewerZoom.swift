#if GTK
import Firn

/// The zoom of the viewer: whole image, or a scale.
struct ViewerZoom: Equatable {
    /// The image's size; `nil` before it is known.
    var image: PixelSize?
    /// True if the image is rendered again at each zoom.
    var isVector = false
    /// The visible size, in GTK's units.
    var room: (width: Double, height: Double) = (0, 0)
    /// Pixels of the screen per GTK unit.
    var screenScale = 1.0
    /// GTK units per pixel of the image; `nil` for the whole image.
    private(set) var scale: Double?

    /// The maximum size of a widget.
    private static let most = 32_000.0
    /// The most pixels at which a vector image is rendered: 128 MiB.
    private static let maximumRendered = 0x1p25

    static func == (a: ViewerZoom, b: ViewerZoom) -> Bool {
        a.image == b.image && a.isVector == b.isVector && a.room == b.room && a.scale == b.scale
            && a.screenScale == b.screenScale
    }

    /// The scale at which the whole image is visible.
    var wholeScale: Double? {
        guard let image, room.width > 0, room.height > 0 else { return nil }
        return min(room.width / Double(image.width), room.height / Double(image.height))
    }

    /// Shows the whole image.
    mutating func showWhole() { scale = nil }

    /// Shows a pixel of the image as a pixel of the screen.
    mutating func showPixels() {
        if image != nil { scale = 1 / screenScale }
    }

    /// Zooms in or out; never smaller than the whole image, unless it has fewer pixels.
    mutating func multiply(by factor: Double) {
        guard let image, let wholeScale else { return }
        let longest = Double(max(image.width, image.height))
        var most = min(max(8, wholeScale * 8), ViewerZoom.most / longest)
        if isVector {
            let area = Double(image.width) * Double(image.height)
            most = min(most, max(wholeScale, (ViewerZoom.maximumRendered / area).squareRoot() / screenScale))
        }
        let new = min((scale ?? wholeScale) * factor, most)
        scale = new <= min(wholeScale, 1 / screenScale) * 1.001 ? nil : new
    }

    /// The size of the widget; `nil` to fill the available size.
    var size: (width: Int, height: Int)? {
        guard let image, let scale else { return nil }
        return (Int(Double(image.width) * scale), Int(Double(image.height) * scale))
    }

    /// The zoom in percent of the image's own pixels.
    var text: String? {
        (scale ?? wholeScale).map { "\(Int(($0 * screenScale * 100).rounded())) %" }
    }
}
#endif
