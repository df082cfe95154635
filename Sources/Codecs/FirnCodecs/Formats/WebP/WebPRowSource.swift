import FirnImage

/// The rows of one image of a WebP file.
///
/// libwebp may finish the last row before it gets the image's last byte. A file that ends in between still counts as
/// truncated, so that the pieces in which a file arrives make no difference.
final class WebPRowSource: RowSource {
    private let rows: LibraryRowSource
    private let end: Int
    private let allowsPartial: Bool

    /// - Parameter end: the first byte after the image.
    init(_ rows: LibraryRowSource, end: Int, allowsPartial: Bool) {
        self.rows = rows
        self.end = end
        self.allowsPartial = allowsPartial
    }

    var size: PixelSize { rows.size }
    var layout: SampleLayout { rows.layout }
    var isWhole: Bool { rows.isWhole }
    var fillsInOrder: Bool { rows.fillsInOrder }
    var bytesNeeded: Int? { end }

    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows count: Int
    ) throws(ImageDecodingError) -> RowProgress {
        let progress = try rows.read(chain, into: base, bytesPerRow: bytesPerRow, rows: count)
        if progress.state == .end, chain.count < end, !allowsPartial {
            throw ImageDecodingError(.data, "cut short: \(chain.count) bytes are less than it declares")
        }
        return progress
    }
}
