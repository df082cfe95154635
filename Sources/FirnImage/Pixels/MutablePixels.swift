/// The pixels of an image that is being made; valid only inside the closure that got it.
public struct MutablePixels: ~Copyable {
    /// First byte of the top row.
    public let base: UnsafeMutableRawPointer
    /// Columns and rows.
    public let size: PixelSize
    /// Layout of a pixel.
    public let format: PixelFormat
    /// Distance between the starts of two rows, in bytes.
    public let bytesPerRow: Int
    /// Set to say that every pixel written is opaque.
    public var isOpaque = false

    init(base: UnsafeMutableRawPointer, size: PixelSize, format: PixelFormat, bytesPerRow: Int) {
        self.base = base
        self.size = size
        self.format = format
        self.bytesPerRow = bytesPerRow
    }

    /// Start of row `y`; `y` must be a row of the image.
    public func row(_ y: Int) -> UnsafeMutableRawPointer {
        base + y * bytesPerRow
    }
}
