/// The rotation and reflection for display: the sides on which the first stored row and column are shown.
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

    /// The rotation matrix: the step in stored columns and rows for one step to the right in the displayed image, then
    /// for one step down.
    package var steps: SIMD4<Int> {
        switch self {
        case .up: SIMD4(1, 0, 0, 1)
        case .upMirrored: SIMD4(-1, 0, 0, 1)
        case .down: SIMD4(-1, 0, 0, -1)
        case .downMirrored: SIMD4(1, 0, 0, -1)
        case .leftMirrored: SIMD4(0, 1, 1, 0)
        case .right: SIMD4(0, -1, 1, 0)
        case .rightMirrored: SIMD4(0, -1, -1, 0)
        case .left: SIMD4(0, 1, -1, 0)
        }
    }

    /// Returns the stored pixels of a part of the upright image.
    ///
    /// - Parameters:
    ///   - area: a part of the upright image, which lies within it.
    ///   - size: the size of the image as stored.
    package func storedArea(of area: PixelArea, in size: PixelSize) -> PixelArea {
        let (shown, steps) = (displaySize(of: size), steps)
        // A negative step starts the displayed image at the end of a side.
        let across = steps.x + steps.y < 0 ? shown.width - area.x - area.size.width : area.x
        let down = steps.z + steps.w < 0 ? shown.height - area.y - area.size.height : area.y
        return PixelArea(
            x: transposes ? down : across, y: transposes ? across : down, size: displaySize(of: area.size))
    }
}
