/// Decodes the pixels of one stored frame, as far as its bytes have been received.
protocol RowSource: AnyObject {
    /// The size of the rows, in stored orientation; at least the size requested.
    var size: PixelSize { get }

    /// The sample layout, as requested.
    var layout: SampleLayout { get }

    /// True if rows are written all over the image before they are complete (passes). If so, every call of `read` gets
    /// the whole image's memory, zeroed before the first call. Otherwise rows come in order, into any memory.
    var isWhole: Bool { get }

    /// True if rows are written in order, each once, and all of them before the end, so that the memory need not be
    /// zeroed.
    var fillsInOrder: Bool { get }

    /// Decodes at most the rows of `memory` (or, if ``isWhole``, a bounded amount of work) to it.
    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress

    /// Writes the whole image as far as its bytes allow, if that shows more than the rows read do.
    ///
    /// - Returns: whether there was anything new since the last call.
    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> Bool

    /// True if ``preview(_:into:)`` shows more than the rows read do.
    var hasPreviews: Bool { get }

    /// The number of first bytes of the file that the image needed, once it is complete.
    var bytesNeeded: Int? { get }
}

extension RowSource {
    var isWhole: Bool { false }
    var hasPreviews: Bool { false }
    var fillsInOrder: Bool { !isWhole }
    var bytesNeeded: Int? { nil }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> Bool { false }

    /// Reads at most `rows` rows to the start of a buffer. Returns the end if the buffer is finished.
    func read(_ chain: ByteChain, into buffer: BitmapBuilder, rows: Int) throws(ImageError) -> RowProgress {
        try buffer.withPixels { pixels throws(ImageError) in
            try read(chain, into: memory(pixels, rows: rows))
        } ?? RowProgress(rows: 0, state: .end)
    }

    /// Writes the preview to a buffer of the whole image.
    func preview(_ chain: ByteChain, into buffer: BitmapBuilder) throws(ImageError) -> Bool {
        try buffer.withPixels { pixels throws(ImageError) in try preview(chain, into: memory(pixels)) } ?? false
    }

    /// The memory of `rows` rows (default: all) of a buffer that is as wide as the source, from row `first` on.
    func memory(_ pixels: borrowing MutablePixels, at first: Int = 0, rows: Int? = nil) -> RowMemory {
        RowMemory(
            pixels.row(first), bytesPerRow: pixels.bytesPerRow, rowBytes: size.width * layout.bytesPerPixel,
            rows: rows ?? pixels.size.height, owner: pixels.owner)
    }
}

/// The result of one call of ``RowSource/read(_:into:)``.
struct RowProgress {
    enum State {
        /// There is more to decode. If no row is done, this is a pause in which the caller may check for cancellation.
        case more
        /// All bytes received so far have been used.
        case needsBytes
        /// The image is complete.
        case end
    }

    /// The rows done in this call; if the source is whole: the rows complete from the top.
    var rows: Int
    var state: State
}

/// The layout of samples as decoders return them: colors are straight, not multiplied by alpha.
enum SampleLayout: Hashable, CaseIterable {
    case bgra8, rgba8, rgb8
    /// Amounts of ink, 255 is full; only if the file stores CMYK or YCCK.
    case cmyk8
    /// 16 bits per sample in the machine's byte order; only if the file stores more than 8.
    case rgba16
    /// Half floats in the machine's byte order; only if the file stores floats.
    case rgbaHalf

    /// The bytes of one pixel.
    var bytesPerPixel: Int {
        switch self {
        case .rgb8: 3
        case .bgra8, .rgba8, .cmyk8: 4
        case .rgba16, .rgbaHalf: 8
        }
    }

    /// The most bytes of a strip with several rows.
    private static let stripBytes = 8 << 20
    /// The fewest bytes of a strip, if the image has as many, so that the overhead of a call stays small even for rows
    /// of a single pixel.
    private static let minimumStripBytes = 32 << 10

    /// Returns the number of rows of `size` pixels in a strip: few enough to stay in the CPU cache, and at least 8
    /// unless they are very long.
    func stripRows(of size: PixelSize) -> Int {
        guard let row = rowBytes(width: size.width) else { return 1 }
        return max(1, min(size.height, max(8, cachedRows(row)), SampleLayout.stripBytes / row))
    }

    /// Returns the number of rows of `width` pixels in a strip that stays in the CPU cache: even, and at least 2.
    func evenRows(width: Int) -> Int { max(2, rowBytes(width: width).map { cachedRows($0) / 2 * 2 } ?? 2) }

    /// Returns the number of rows of `width` pixels that are decoded at once into the image: at most 8 MiB unless one
    /// row is longer.
    func rowsAtOnce(width: Int) -> Int {
        max(1, rowBytes(width: width).map { min(usualRows($0), SampleLayout.stripBytes / $0) } ?? 1)
    }

    /// Returns 64, or for short rows as many as fill the smallest strip.
    private func usualRows(_ row: Int) -> Int { max(64, SampleLayout.minimumStripBytes / row) }

    private func cachedRows(_ row: Int) -> Int { min(usualRows(row), (1 << 20) / row) }

    /// Returns the bytes of a row in memory, its padding included; `nil` if they overflow.
    func rowBytes(width: Int) -> Int? {
        let (bytes, overflow) = max(1, width).multipliedReportingOverflow(by: bytesPerPixel)
        let (padded, overflow2) = bytes.addingReportingOverflow(Bitmap.rowAlignment - 1)
        return overflow || overflow2 ? nil : padded / Bitmap.rowAlignment * Bitmap.rowAlignment
    }
}

/// The memory that a row source writes to, row by row.
///
/// Safety: the caller guarantees the memory of all `rows` rows. Any other row has no memory, and writers check a row's
/// number of bytes once before they fill it.
struct RowMemory {
    let base: UnsafeMutableRawPointer
    let bytesPerRow: Int
    private let rowBytes: Int
    private(set) var rows: Int
    /// Keeps the memory alive for a ``DetachedCall``; `nil` (the default) if the caller does.
    private let owner: AnyObject?

    /// - Parameter rowBytes: the bytes of a row that are written, without padding.
    init(_ base: UnsafeMutableRawPointer, bytesPerRow: Int, rowBytes: Int, rows: Int, owner: AnyObject? = nil) {
        self.base = base
        self.owner = owner
        self.bytesPerRow = bytesPerRow
        self.rowBytes = max(0, min(rowBytes, bytesPerRow))
        self.rows = rows
    }

    /// Returns the memory of row `y`, without padding. Empty if there is no such row.
    func row(_ y: Int) -> UnsafeMutableRawBufferPointer {
        guard y >= 0, y < rows else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        return UnsafeMutableRawBufferPointer(start: base + y * bytesPerRow, count: rowBytes)
    }

    /// Returns at most the first `count` rows.
    func prefix(_ count: Int) -> RowMemory {
        var first = self
        first.rows = min(count, rows)
        return first
    }

    /// Copies a row to another one; does nothing if there is no such row.
    func copyRow(_ y: Int, to other: Int) {
        let (from, to) = (row(y), row(other))
        if from.count == to.count { to.copyMemory(from: UnsafeRawBufferPointer(from)) }
    }
}
