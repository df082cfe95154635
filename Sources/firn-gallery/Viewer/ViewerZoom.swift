import Firn

/// How large the viewer shows an image: whole, or at a scale.
struct ViewerZoom: Equatable {
    /// Columns and rows of the image; `nil` before they are known.
    var image: PixelSize?
    /// Width and height of what can be seen, in GTK's units.
    var room: (width: Double, height: Double) = (0, 0)
    /// Pixels of the screen for a unit of GTK.
    var screenScale = 1.0
    /// GTK's units for a pixel of the image; `nil` for whole.
    private(set) var scale: Double?

    /// The largest a widget becomes.
    private static let most = 32_000.0

    static func == (a: ViewerZoom, b: ViewerZoom) -> Bool {
        a.image == b.image && a.room == b.room && a.scale == b.scale && a.screenScale == b.screenScale
    }

    /// The scale at which the whole image is seen.
    var wholeScale: Double? {
        guard let image, room.width > 0, room.height > 0 else { return nil }
        return min(room.width / Double(image.width), room.height / Double(image.height))
    }

    /// Shows the whole image.
    mutating func showWhole() { scale = nil }

    /// Shows a pixel of the image as one of the screen.
    mutating func showPixels() {
        if image != nil { scale = 1 / screenScale }
    }

    /// Larger or smaller; never smaller than whole, unless its own pixels are fewer.
    mutating func multiply(by factor: Double) {
        guard let image, let wholeScale else { return }
        let longest = Double(max(image.width, image.height))
        let new = min((scale ?? wholeScale) * factor, max(8, wholeScale * 8), ViewerZoom.most / longest)
        scale = new <= min(wholeScale, 1 / screenScale) * 1.001 ? nil : new
    }

    /// Width and height of the widget; `nil` to fill the room.
    var size: (width: Int, height: Int)? {
        guard let image, let scale else { return nil }
        return (Int(Double(image.width) * scale), Int(Double(image.height) * scale))
    }

    /// In words: per cent of the image's own pixels.
    var text: String? {
        (scale ?? wholeScale).map { "\(Int(($0 * screenScale * 100).rounded())) %" }
    }
}
