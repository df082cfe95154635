/// An error of allocating or converting a pixel buffer.
public enum BitmapError: Error, Hashable, CustomStringConvertible {
    /// The size is empty, its bytes overflow, or the given memory is too small for it.
    case unusable(PixelSize)
    /// The system has no memory for this many bytes.
    case outOfMemory(bytes: Int)
    /// The image has transparent pixels and the requested layout has no alpha.
    case notOpaque(PixelFormat)

    /// The reason, in one line.
    public var description: String {
        switch self {
        case .unusable(let size): "no pixel buffer can have \(size) pixels"
        case .outOfMemory(let bytes): "no memory for a pixel buffer of \(bytes) bytes"
        case .notOpaque(let format): "an image with transparent pixels cannot become \(format.rawValue)"
        }
    }
}
