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

    /// Decodes at most `rows` rows (or, if ``isWhole``, a bounded amount of work) to `base`.
    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int
    ) throws(ImageDecodingError) -> RowProgress

    /// Writes the whole image as far as its bytes allow, if that shows more than the rows read do.
    ///
    /// - Returns: whether there was anything new since the last call.
    func preview(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) throws(ImageDecodingError) -> Bool

    /// True if ``preview(_:into:bytesPerRow:)`` shows more than the rows read do.
    var hasPreviews: Bool { get }

    /// The number of first bytes of the file that the image needed, once it is complete.
    var bytesNeeded: Int? { get }
}

extension RowSource {
    var hasPreviews: Bool { false }
    var fillsInOrder: Bool { !isWhole }
    var bytesNeeded: Int? { nil }

    func preview(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) throws(ImageDecodingError) -> Bool { false }
}
