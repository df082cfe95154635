/// The size at which a view shows its image.
public enum ImageDisplaySize: Hashable, Sendable {
    /// The view has no layout yet. Nothing is loaded until it calls ``ViewBinding/viewResized()``.
    case unknown
    /// The view uses every pixel of the image.
    case unlimited
    /// A size in points, with the number of pixels per point.
    case points(width: Double, height: Double, scale: Double)

    /// The size in pixels, rounded up; `nil` if there is none or it has no area.
    public var pixels: PixelSize? {
        guard case .points(let width, let height, let scale) = self else { return nil }
        guard let columns = Self.side(width * scale), let rows = Self.side(height * scale) else { return nil }
        return PixelSize(width: columns, height: rows)
    }

    /// True if a layout is needed first: the size is unknown or has no area.
    var isPending: Bool {
        switch self {
        case .unknown: true
        case .unlimited: false
        case .points: pixels == nil
        }
    }

    private static func side(_ length: Double) -> Int? {
        // A hundredth of a pixel is a rounding error in points and adds no column.
        guard length.isFinite, length > 0 else { return nil }
        return Int(min((length - 0.01).rounded(.up), 0x1p30))
    }
}
