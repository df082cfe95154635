/// The position of a part in a whole, with an offset.
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

    /// Returns the origin of a part of size `inner` in `outer`. Smart gravity is the center.
    ///
    /// `scale` multiplies offsets in pixels. Offsets round half to even.
    /// - Parameter mayHangOver: whether the part may be partly outside, with at least a pixel inside. Default: false.
    func origin(
        of inner: PixelSize, in outer: PixelSize, scale: Double, mayHangOver: Bool = false
    ) -> (x: Int, y: Int) {
        let name = position.rawValue
        /// Returns the start on one axis: at the first edge, at the last edge, or in the middle.
        func start(_ inner: Int, _ outer: Int, _ value: Double, isFirst: Bool, isLast: Bool) -> Int {
            let free = max(mayHangOver ? -ImgproxyRounding.limit : 0, outer - inner)
            let offset = Self.offset(value, outer, scale)
            let middle = ImgproxyRounding.even(Double(free + 1) / 2)
            let start =
                position == .focusPoint
                ? ImgproxyRounding.even(Double(outer) * value) - inner / 2
                : isFirst ? offset : isLast ? free - offset : middle + offset
            return mayHangOver ? max(1 - inner, min(start, outer - 1)) : max(0, min(start, free))
        }
        return (
            start(inner.width, outer.width, x, isFirst: name.hasSuffix("we"), isLast: name.hasSuffix("ea")),
            start(inner.height, outer.height, y, isFirst: name.hasPrefix("no"), isLast: name.hasPrefix("so"))
        )
    }

    /// Returns an offset in pixels: of pixels times `scale`, or of a share of `side`.
    static func offset(_ value: Double, _ side: Int, _ scale: Double) -> Int {
        ImgproxyRounding.even(abs(value) >= 1 ? value * scale : Double(side) * value)
    }
}
