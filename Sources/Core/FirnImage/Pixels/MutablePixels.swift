/// The pixels of an image that is being written; valid only inside the closure that receives it.
public struct MutablePixels: ~Copyable {
    /// The first byte of the top row.
    public let base: UnsafeMutableRawPointer
    /// The number of columns and rows.
    public let size: PixelSize
    /// The layout of a pixel.
    public let format: PixelFormat
    /// The distance between the starts of two rows, in bytes.
    public let bytesPerRow: Int
    /// The object that holds the pixels, for calls that outlive the closure.
    package let owner: AnyObject
    /// True if every written pixel is opaque; set by the closure. Default: false.
    public var isOpaque = false

    /// Returns the start of row `y`, which must be a row of the image.
    public func row(_ y: Int) -> UnsafeMutableRawPointer {
        base + y * bytesPerRow
    }
}
