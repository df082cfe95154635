public import FirnImage

/// The size at which a view shows its image.
public enum DisplaySize: Hashable, Sendable {
    /// Not laid out yet: nothing is loaded before the view says ``ViewBinding/viewResized()``.
    case unknown
    /// Every pixel of the image is wanted.
    case unlimited
    /// In points, with the number of pixels to a point.
    case points(width: Double, height: Double, scale: Double)

    /// The size in pixels, rounded up; `nil` where there is none, or one without area.
    public var pixels: PixelSize? {
        guard case .points(let width, let height, let scale) = self else { return nil }
        guard let columns = Self.side(width * scale), let rows = Self.side(height * scale) else { return nil }
        return PixelSize(width: columns, height: rows)
    }

    /// Whether the view has to be laid out first: its size is unknown, or has no area.
    var isPending: Bool {
        switch self {
        case .unknown: true
        case .unlimited: false
        case .points: pixels == nil
        }
    }

    private static func side(_ length: Double) -> Int? {
        // A little less than a whole pixel more is the rounding of points, and no reason for another column.
        guard length.isFinite, length > 0 else { return nil }
        return Int(min((length - 0.01).rounded(.up), 0x1p30))
    }
}
