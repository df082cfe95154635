import FirnImage

/// The pixels of one stored frame, decoded as far as its bytes have come.
protocol RowSource: AnyObject {
    /// Size of the image given, in stored orientation; as large as was asked for, or larger.
    var size: PixelSize { get }

    /// Samples given: those asked for.
    var layout: SampleLayout { get }

    /// Whether rows are written all over the image before they are complete (passes). Then every call of `read` gets
    /// the whole image's memory, zeroed before the first; otherwise rows come one after the other, into any memory.
    var isWhole: Bool { get }

    /// Whether rows are written in order, each once, and all of them before the end, so that memory need not be zeroed.
    var fillsInOrder: Bool { get }

    /// Decodes at most `rows` rows (or, where ``isWhole``, a bounded bit of work) to `base`.
    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int
    ) throws(ImageDecodingError) -> RowProgress

    /// Writes the whole image as far as its bytes tell, where that is more than the rows read show.
    ///
    /// - Returns: whether there was something to show that was not shown before.
    func preview(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) throws(ImageDecodingError) -> Bool

    /// Whether ``preview(_:into:bytesPerRow:)`` shows more than the rows read do.
    var hasPreviews: Bool { get }

    /// How many first bytes of the file the image had need of, once it is complete.
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
