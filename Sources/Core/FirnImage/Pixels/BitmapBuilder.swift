import FirnSystem

/// A pixel buffer that is filled over several calls.
///
/// Used by one thread at a time. ``finish(isOpaque:)`` turns the buffer into an image without a copy.
package final class BitmapBuilder {
    /// The number of columns and rows.
    package let size: PixelSize
    /// The layout of a pixel.
    package let format: PixelFormat
    /// The distance between the starts of two rows, in bytes.
    package let bytesPerRow: Int
    private(set) var storage: PixelStorage?
    /// The number of leading bytes for which the system has allocated pages.
    var prepared = 0

    /// Creates a buffer.
    ///
    /// - Parameter zeroed: whether its bytes are 0. If false, they are undefined and the caller must write every pixel;
    ///   zeroing a large image takes a tenth of the time of decoding it. Default: true.
    /// - Throws: ``ImageError`` if the size is empty, its bytes overflow, or there is no memory.
    package init(size: PixelSize, format: PixelFormat, zeroed: Bool = true) throws(ImageError) {
        let bytesPerRow = try Bitmap.bytesPerRow(width: size.width, format: format)
        self.size = size
        self.format = format
        self.bytesPerRow = bytesPerRow
        storage = try PixelStorage(
            PixelShape(size: size, format: format, bytesPerRow: bytesPerRow, isOpaque: !format.hasAlpha),
            zeroed: zeroed)
    }

    /// Calls `body` with the whole buffer. Does not call it after ``finish(isOpaque:)``.
    @discardableResult
    package func withPixels<Result, Failure: Error>(
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
    /// - Returns: `nil` if already finished.
    package func finish(isOpaque: Bool) -> Bitmap? {
        guard let storage else { return nil }
        self.storage = nil
        if isOpaque { storage.declareOpaque() }
        return Bitmap(storage)
    }

    /// Makes the system allocate pages for further bytes of the buffer, so that later writes do not wait for them. The
    /// contents are unchanged.
    ///
    /// Without it, each page is allocated and zeroed on the first write: 2 to 20 ms for 12 megapixels, 100 ms in a
    /// virtual machine. A thread that is waiting for bytes of the file has the time.
    ///
    /// - Parameter limit: the maximum bytes, beyond those of earlier calls.
    package func prepare(_ limit: Int) {
        // Both factors are positive and their product is at most `count`.
        let rest = bytesPerRow * size.height - prepared
        guard rest > 0, limit > 0 else { return }
        let count = min(limit, rest)
        let isDone = withPixels { pixels in BitmapBuilder.populate(pixels.base + prepared, count) }
        // If the system refuses, later writes wait as before.
        prepared = isDone == true ? prepared + count : bytesPerRow * size.height
    }

    /// MADV_POPULATE_WRITE of Linux 5.14, which older headers lack.
    private static let populateForWriting: Int32 = 23

    private static func populate(_ base: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        let page = UInt(clamping: sysconf(Int32(clamping: _SC_PAGESIZE)))
        // Only whole pages, because the bytes around them may belong to another buffer.
        let start = (UInt(bitPattern: base) + page - 1) / page * page
        let end = (UInt(bitPattern: base) + UInt(clamping: count)) / page * page
        guard end > start, let first = UnsafeMutableRawPointer(bitPattern: start) else { return true }
        return madvise(first, Int(clamping: end - start), populateForWriting) == 0
    }
}

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
    /// The owner of the pixels, for calls that outlive the closure.
    package let owner: AnyObject
    /// True if every pixel is opaque; set by the closure. Default: false.
    public var isOpaque = false

    /// Returns the start of row `y`, which must be a row of the image.
    public func row(_ y: Int) -> UnsafeMutableRawPointer {
        base + y * bytesPerRow
    }
}
