/// The rotation and reflection for display: where the first stored row and column belong.
///
/// Source: EXIF 2.32 §4.6.4 A, tag 0x0112; the raw values are the tag's.
public enum Orientation: Int, Sendable, CaseIterable {
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

    /// Whether width and height are exchanged for display.
    public var transposes: Bool { rawValue >= 5 }

    /// Returns the displayed size of an image stored with `size`.
    public func displaySize(of size: PixelSize) -> PixelSize {
        transposes ? size.transposed : size
    }
}
