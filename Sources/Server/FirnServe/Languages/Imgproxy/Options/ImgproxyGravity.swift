/// The place of a part in a whole, with an offset.
struct ImgproxyGravity: Sendable, Equatable {
    enum Position: String, Sendable, CaseIterable {
        case north = "no"
        case south = "so"
        case east = "ea"
        case west = "we"
        case northEast = "noea"
        case northWest = "nowe"
        case southEast = "soea"
        case southWest = "sowe"
        case center = "ce"
        case smart = "sm"
        case focusPoint = "fp"
    }

    /// The position. ``Position/smart`` leaves the choice to the image's content.
    var position: Position = .center
    /// The horizontal offset: pixels if its magnitude is at least 1, else a share of the width. From the east, inward.
    var x = 0.0
    /// The vertical offset: pixels if its magnitude is at least 1, else a share of the height. From the south, inward.
    var y = 0.0
}
