/// The pixels of an image that comes into being over several calls.
///
/// Owned by one thread at a time. ``finish(isOpaque:)`` hands the buffer over without a copy.
public final class BitmapBuilder {
    /// Columns and rows.
    public let size: PixelSize
    /// Layout of a pixel.
    public let format: PixelFormat
    /// Distance between the starts of two rows, in bytes.
    public let bytesPerRow: Int
    private(set) var storage: PixelStorage?
    /// Bytes from the first for which the system has found memory.
    var prepared = 0

    /// Creates a buffer.
    ///
    /// - Parameter zeroed: whether its bytes are 0. Otherwise they are whatever was there before, and whoever makes the
    ///   image has to write every pixel: zeroing a large image takes a tenth of the time of decoding it. Default: yes.
    /// - Throws: ``BitmapError`` if the size is empty or its bytes cannot be counted or had.
    public init(size: PixelSize, format: PixelFormat, zeroed: Bool = true) throws(BitmapError) {
        let bytesPerRow = try Bitmap.bytesPerRow(width: size.width, format: format)
        self.size = size
        self.format = format
        self.bytesPerRow = bytesPerRow
        storage = try PixelStorage(
            PixelShape(
                size: size, format: format, bytesPerRow: bytesPerRow, isOpaque: !format.hasAlpha, colorProfile: nil),
            zeroed: zeroed)
    }

    /// Gives `body` the whole buffer. Not to be called after ``finish(isOpaque:)``: the closure is then not run.
    @discardableResult
    public func withPixels<Result>(
        _ body: (inout MutablePixels) throws -> Result
    ) rethrows -> Result? {
        guard let storage else { return nil }
        var pixels = MutablePixels(base: storage.base, size: size, format: format, bytesPerRow: bytesPerRow)
        return try withExtendedLifetime(storage) { try body(&pixels) }
    }

    /// The image; the builder is empty afterwards.
    ///
    /// - Returns: `nil` if it was finished before.
    public func finish(isOpaque: Bool) -> Bitmap? {
        guard let storage else { return nil }
        self.storage = nil
        if isOpaque { storage.declareOpaque() }
        return Bitmap(storage)
    }
}
