import Firn

/// How large the viewer shows a picture: whole, or at a scale.
struct ViewerZoom: Equatable {
    /// Columns and rows of the picture; `nil` before they are known.
    var picture: PixelSize?
    /// Width and height of what can be seen, in GTK's units.
    var room: (width: Double, height: Double) = (0, 0)
    /// Pixels of the screen for a unit of GTK.
    var screenScale = 1.0
    /// GTK's units for a pixel of the picture; `nil` for whole.
    private(set) var scale: Double?

    /// The largest a widget becomes.
    private static let most = 32_000.0

    static func == (a: ViewerZoom, b: ViewerZoom) -> Bool {
        a.picture == b.picture && a.room == b.room && a.scale == b.scale && a.screenScale == b.screenScale
    }

    /// The scale at which the whole picture is seen.
    var wholeScale: Double? {
        guard let picture, room.width > 0, room.height > 0 else { return nil }
        return min(room.width / Double(picture.width), room.height / Double(picture.height))
    }

    /// Shows the whole picture.
    mutating func showWhole() { scale = nil }

    /// Shows a pixel of the picture as one of the screen.
    mutating func showPixels() {
        if picture != nil { scale = 1 / screenScale }
    }

    /// Larger or smaller; never smaller than whole, unless its own pixels are fewer.
    mutating func multiply(by factor: Double) {
        guard let picture, let wholeScale else { return }
        let longest = Double(max(picture.width, picture.height))
        let new = min((scale ?? wholeScale) * factor, max(8, wholeScale * 8), ViewerZoom.most / longest)
        scale = new <= min(wholeScale, 1 / screenScale) * 1.001 ? nil : new
    }

    /// Width and height of the widget; `nil` to fill the room.
    var size: (width: Int, height: Int)? {
        guard let picture, let scale else { return nil }
        return (Int(Double(picture.width) * scale), Int(Double(picture.height) * scale))
    }

    /// In words: per cent of the picture's own pixels.
    var text: String? {
        (scale ?? wholeScale).map { "\(Int(($0 * screenScale * 100).rounded())) %" }
    }
}
