/// The rotation and reflection for display: where the first stored row and column belong.
///
/// Source: EXIF 2.32 §4.6.4 A, tag 0x0112; the raw values are the tag's.
public enum ImageOrientation: Int, Sendable, CaseIterable {
    /// As stored.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Rotated by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the diagonal from top left to bottom right.
    case leftMirrored = 5
    /// Needs a rotation by 90° clockwise for display.
    case right = 6
    /// Mirrored along the diagonal from top right to bottom left.
    case rightMirrored = 7
    /// Needs a rotation by 90° counterclockwise for display.
    case left = 8

    /// True if width and height are exchanged for display.
    public var transposes: Bool { rawValue >= 5 }

    /// The orientation that undoes this one.
    package var inverse: ImageOrientation { self == .left ? .right : self == .right ? .left : self }

    /// Returns the displayed size of an image stored with `size`.
    public func displaySize(of size: PixelSize) -> PixelSize {
        transposes ? size.transposed : size
    }

    /// Returns the stored pixels that a part of the upright image shows.
    ///
    /// - Parameters:
    ///   - area: a part of the upright image, which lies within it.
    ///   - size: the size of the image as stored.
    package func storedArea(of area: PixelArea, in size: PixelSize) -> PixelArea {
        let right = displaySize(of: size).width - area.x - area.size.width
        let bottom = displaySize(of: size).height - area.y - area.size.height
        let stored = displaySize(of: area.size)
        return switch self {
        case .up: area
        case .upMirrored: PixelArea(x: right, y: area.y, size: stored)
        case .down: PixelArea(x: right, y: bottom, size: stored)
        case .downMirrored: PixelArea(x: area.x, y: bottom, size: stored)
        case .leftMirrored: PixelArea(x: area.y, y: area.x, size: stored)
        case .right: PixelArea(x: area.y, y: right, size: stored)
        case .rightMirrored: PixelArea(x: bottom, y: right, size: stored)
        case .left: PixelArea(x: bottom, y: area.x, size: stored)
        }
    }
}
