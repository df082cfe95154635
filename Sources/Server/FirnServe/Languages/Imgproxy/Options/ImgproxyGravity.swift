/// The place of a part in a whole, with an offset.
package struct ImgproxyGravity: Sendable, Equatable {
    /// The names of positions, as in the option.
    package enum Position: String, Sendable, CaseIterable {
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
    package var position: Position = .center
    /// The horizontal offset: pixels if its magnitude is at least 1, else a share of the width. From the east, inward.
    package var x = 0.0
    /// The vertical offset: pixels if its magnitude is at least 1, else a share of the height. From the south, inward.
    package var y = 0.0

    package init(position: Position = .center, x: Double = 0, y: Double = 0) {
        self.position = position
        self.x = x
        self.y = y
    }
}
