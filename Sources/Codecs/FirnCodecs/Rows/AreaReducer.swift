import CFirnCodecs

/// Reduces an image while its rows arrive: each new pixel is the exact average of the area that it covers.
///
/// Holds one row of sums, whatever the image's height. Sides shrink independently, by any factor. Colors are averaged
/// as they are stored, not in linear light, as decoders that scale do, too; straight colors are weighted by their
/// alpha.
///
/// Safety: owns its C object, which one thread at a time uses.
final class AreaReducer {
    private let handle: OpaquePointer

    /// Creates a reducer at the first row.
    ///
    /// - Parameters:
    ///   - from: the size of the source rows.
    ///   - to: the size of the reduced image.
    ///   - isOpaque: whether alpha, if the layout has it, is full everywhere; colors then need no weights.
    /// - Throws: ``ImageDecodingError/Fault/limit`` if there is no memory, or `to` is empty or larger than `from`.
    init(from: PixelSize, to: PixelSize, layout: SampleLayout, isOpaque: Bool) throws(ImageDecodingError) {
        guard let width = UInt32(exactly: from.width), let height = UInt32(exactly: from.height),
            let newWidth = UInt32(exactly: to.width), let newHeight = UInt32(exactly: to.height),
            let handle = firn_reducer_make(
                AreaReducer.kind(layout, isOpaque: isOpaque), width, height, newWidth, newHeight)
        else { throw ImageDecodingError(.limit, "no memory to make \(from) pixels \(to)") }
        self.handle = handle
    }

    deinit { firn_reducer_free(handle) }

    /// Adds the next `count` rows and writes the new rows that they complete to `target`.
    ///
    /// Safety: `rows` holds `count` rows of `from.width` pixels, `target` has room for as many rows of `to.width`.
    ///
    /// - Returns: the number of rows written.
    func add(
        _ rows: UnsafeRawPointer, bytesPerRow: Int, count: Int,
        into target: UnsafeMutableRawPointer, bytesPerRow targetBytesPerRow: Int
    ) -> Int {
        Int(firn_reducer_add(handle, rows, bytesPerRow, UInt32(clamping: count), target, targetBytesPerRow))
    }

    /// Returns the bytes that a reducer of rows of `width` pixels to `newWidth` holds.
    static func bytes(width: Int, newWidth: Int, layout: SampleLayout) -> Int {
        Int(
            clamping: firn_reducer_bytes(
                kind(layout, isOpaque: true), UInt32(clamping: width), UInt32(clamping: newWidth)))
    }

    private static func kind(_ layout: SampleLayout, isOpaque: Bool) -> firn_reduce_kind {
        switch layout {
        case .rgb8: FIRN_REDUCE_RGB8
        case .cmyk8: FIRN_REDUCE_PLAIN8
        case .bgra8, .rgba8: isOpaque ? FIRN_REDUCE_PLAIN8 : FIRN_REDUCE_STRAIGHT8
        case .rgba16: FIRN_REDUCE_STRAIGHT16
        case .rgbaHalf: FIRN_REDUCE_STRAIGHT_HALF
        }
    }
}
