import FirnImage

extension ImgproxyGravity {
    /// Returns where a part of size `inner` lies in `outer`. Smart gravity gives the center.
    ///
    /// `scale` multiplies offsets in pixels. Offsets round half to even.
    /// - Parameter mayHangOver: whether the part may be partly outside, as far as a pixel of it stays inside. Default:
    ///   it is inside.
    func origin(
        of inner: PixelSize, in outer: PixelSize, scale: Double, mayHangOver: Bool = false
    ) -> (x: Int, y: Int) {
        let least = mayHangOver ? -ImgproxyRounding.limit : 0
        let free = (x: max(least, outer.width - inner.width), y: max(least, outer.height - inner.height))
        let (x, y) =
            if position == .focusPoint {
                (
                    ImgproxyRounding.even(Double(outer.width) * self.x) - inner.width / 2,
                    ImgproxyRounding.even(Double(outer.height) * self.y) - inner.height / 2
                )
            } else {
                (
                    Self.start(free.x, Self.offset(self.x, outer.width, scale), horizontal),
                    Self.start(free.y, Self.offset(self.y, outer.height, scale), vertical)
                )
            }
        if mayHangOver {
            return (max(1 - inner.width, min(x, outer.width - 1)), max(1 - inner.height, min(y, outer.height - 1)))
        }
        return (max(0, min(x, free.x)), max(0, min(y, free.y)))
    }

    /// Returns an offset in pixels: of pixels times `scale`, or of a share of `side`.
    static func offset(_ value: Double, _ side: Int, _ scale: Double) -> Int {
        ImgproxyRounding.even(abs(value) >= 1 ? value * scale : Double(side) * value)
    }

    private static func start(_ free: Int, _ offset: Int, _ edge: Int) -> Int {
        switch edge {
        case -1: offset
        case 1: free - offset
        default: ImgproxyRounding.even(Double(free + 1) / 2) + offset
        }
    }

    /// -1 for the west, 1 for the east, else 0.
    private var horizontal: Int {
        switch position {
        case .west, .northWest, .southWest: -1
        case .east, .northEast, .southEast: 1
        default: 0
        }
    }

    /// -1 for the north, 1 for the south, else 0.
    private var vertical: Int {
        switch position {
        case .north, .northEast, .northWest: -1
        case .south, .southEast, .southWest: 1
        default: 0
        }
    }
}
