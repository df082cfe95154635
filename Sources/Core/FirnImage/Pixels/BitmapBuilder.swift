/// A pixel buffer that is written over several calls.
///
/// Used by one thread at a time. ``finish(isOpaque:)`` turns the buffer into an image without a copy.
public final class BitmapBuilder {
    /// The number of columns and rows.
    public let size: PixelSize
    /// The layout of a pixel.
    public let format: PixelFormat
    /// The distance between the starts of two rows, in bytes.
    public let bytesPerRow: Int
    private(set) var storage: PixelStorage?
    /// The number of first bytes for which the system has allocated pages.
    var prepared = 0

    /// Creates a buffer.
    ///
    /// - Parameter zeroed: whether its bytes are 0. Otherwise they are undefined, and the caller has to write every
    ///   pixel; zeroing a large image takes a tenth of the time of decoding it. Default: true.
    /// - Throws: ``BitmapError`` if the size is empty, its bytes overflow, or there is no memory.
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

    /// Calls `body` with the whole buffer. After ``finish(isOpaque:)``, `body` is not called.
    @discardableResult
    public func withPixels<Result, Failure: Error>(
        _ body: (inout MutablePixels) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let storage else { return nil }
        defer { withExtendedLifetime(storage) {} }
        var pixels = MutablePixels(
            base: storage.base, size: size, format: format, bytesPerRow: bytesPerRow, owner: storage)
        return try body(&pixels)
    }

    /// Returns the image and leaves the builder empty.
    ///
    /// - Returns: `nil` if it was finished before.
    public func finish(isOpaque: Bool) -> Bitmap? {
        guard let storage else { return nil }
        self.storage = nil
        if isOpaque { storage.declareOpaque() }
        return Bitmap(storage)
    }
}

extension BitmapBuilder {
    /// Returns a copy of the first `rows` rows; rows below are transparent. Default: all rows.
    ///
    /// If the layout has no alpha and rows are missing, the copy is `bgra8Premultiplied`, because black rows would look
    /// decoded.
    public func copy(rows: Int? = nil) throws(BitmapError) -> BitmapBuilder {
        let rows = min(max(rows ?? size.height, 0), size.height)
        let isWidened = !format.hasAlpha && rows < size.height
        let copy = try BitmapBuilder(size: size, format: isWidened ? .bgra8Premultiplied : format)
        guard let from = storage?.base, let to = copy.storage?.base else { return copy }
        guard isWidened else {
            to.copyMemory(from: from, byteCount: rows * bytesPerRow)
            return copy
        }
        for y in 0..<rows {
            PixelRow(base: from + y * bytesPerRow, count: size.width, isOpaque: true)
                .widen(into: to + y * copy.bytesPerRow, redFirst: false)
        }
        return copy
    }
}
