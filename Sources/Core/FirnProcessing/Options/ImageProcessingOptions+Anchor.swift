internal import FirnImage

extension ImageProcessingOptions {
    /// The part of an image that a crop keeps, or the place of a smaller image in a larger one.
    public enum Anchor: String, Hashable, Sendable, CaseIterable {
        /// The middle.
        case center
        /// The middle of the upper edge.
        case top
        /// The middle of the lower edge.
        case bottom
        /// The middle of the left edge.
        case left
        /// The middle of the right edge.
        case right
        /// The upper left corner.
        case topLeft
        /// The upper right corner.
        case topRight
        /// The lower left corner.
        case bottomLeft
        /// The lower right corner.
        case bottomRight
        /// The most salient part: edges, strong colors, skin. Applies to cropping; elsewhere it is the middle.
        case attention

        /// The share of the free width that lies left of the part: 0, 1/2 or 1.
        var horizontal: Double {
            switch self {
            case .left, .topLeft, .bottomLeft: 0
            case .right, .topRight, .bottomRight: 1
            case .center, .top, .bottom, .attention: 0.5
            }
        }

        /// The share of the free height that lies above the part: 0, 1/2 or 1.
        var vertical: Double {
            switch self {
            case .top, .topLeft, .topRight: 0
            case .bottom, .bottomLeft, .bottomRight: 1
            case .center, .left, .right, .attention: 0.5
            }
        }

        /// Returns where the upper left corner of a part of size `part` lies in `whole`; negative on a side where the
        /// part is longer. Halves are rounded down.
        func start(of part: PixelSize, in whole: PixelSize) -> (column: Int, row: Int) {
            func start(_ free: Int, _ share: Double) -> Int { share == 0 ? 0 : share == 1 ? free : free >> 1 }
            return (start(whole.width - part.width, horizontal), start(whole.height - part.height, vertical))
        }
    }
}
