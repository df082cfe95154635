import FirnImage

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
    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> RowProgress

    /// Writes the whole image as far as its bytes allow, if that shows more than the rows read do.
    ///
    /// - Returns: whether there was anything new since the last call.
    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> Bool

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

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageDecodingError) -> Bool { false }

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
        /// All bytes received so far are used up.
        case needsBytes
        /// The image is complete.
        case end
    }

    /// The rows done in this call; if the source is whole: the rows complete from the top.
    var rows: Int
    var state: State
}

/// The layout of samples as decoders return them: colors are straight, not multiplied by alpha.
enum SampleLayout: Hashable {
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
}
