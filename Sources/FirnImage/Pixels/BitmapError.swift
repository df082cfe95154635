/// Why a pixel buffer could not be made.
public enum BitmapError: Error, Hashable, CustomStringConvertible {
    /// The size is empty, its bytes cannot be counted, or the memory given does not hold it.
    case unusable(PixelSize)
    /// The system did not give this many bytes.
    case outOfMemory(bytes: Int)
    /// The image has transparent pixels and the layout asked for has no alpha.
    case notOpaque(PixelFormat)

    /// One line saying what was wrong.
    public var description: String {
        switch self {
        case .unusable(let size): "no pixel buffer can have \(size) pixels"
        case .outOfMemory(let bytes): "no memory for a pixel buffer of \(bytes) bytes"
        case .notOpaque(let format): "an image with transparent pixels cannot become \(format.rawValue)"
        }
    }
}
