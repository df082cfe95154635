import CFirnCodecs
import FirnImage

/// Makes a picture smaller while its rows come, by the exact average of the area that each new pixel covers.
///
/// Holds one row of sums, whatever the picture's height. Sides shrink independently, by any factor.
/// Colours are mixed as they are stored, not in linear light, as decoders that scale do too.
///
/// Safety: owns its C object, which one thread at a time uses.
final class AreaReducer {
    /// Size of the rows that come.
    let from: PixelSize
    /// Size of the picture made.
    let to: PixelSize
    /// Rows of the new picture that are complete, from the top.
    private(set) var rows = 0
    private let handle: OpaquePointer

    /// A reducer at the first row.
    ///
    /// - Parameter isOpaque: whether alpha, where the format has it, is full everywhere; straight colours then need no
    ///   weights.
    /// - Throws: ``DecodingError/Fault/limit`` where there is no memory, or `to` is empty or larger than `from`.
    init(from: PixelSize, to: PixelSize, format: PixelFormat, isOpaque: Bool) throws(DecodingError) {
        guard let width = UInt32(exactly: from.width), let height = UInt32(exactly: from.height),
            let newWidth = UInt32(exactly: to.width), let newHeight = UInt32(exactly: to.height),
            let handle = firn_reducer_make(
                AreaReducer.kind(format, isOpaque: isOpaque), width, height, newWidth, newHeight)
        else { throw DecodingError(.limit, "no memory to make \(from) pixels \(to)") }
        self.handle = handle
        self.from = from
        self.to = to
    }

    deinit { firn_reducer_free(handle) }

    /// Takes the next `count` rows in order; writes the new rows that they complete into `picture`, each at its place.
    ///
    /// Safety: `rows` holds `count` rows of `from.width` pixels, `picture` holds `to.height` rows.
    func add(
        _ rows: UnsafeRawPointer, bytesPerRow: Int, count: Int,
        into picture: UnsafeMutableRawPointer, bytesPerRow pictureBytesPerRow: Int
    ) {
        self.rows = Int(
            firn_reducer_add(handle, rows, bytesPerRow, UInt32(clamping: count), picture, pictureBytesPerRow))
    }

    /// Bytes that a reducer of rows of `width` pixels to `newWidth` holds.
    static func bytes(width: Int, newWidth: Int, format: PixelFormat) -> Int {
        Int(
            clamping: firn_reducer_bytes(
                kind(format, isOpaque: false), UInt32(clamping: width), UInt32(clamping: newWidth)))
    }

    private static func kind(_ format: PixelFormat, isOpaque: Bool) -> firn_reduce_kind {
        switch format {
        case .rgb8: FIRN_REDUCE_RGB8
        case .bgra8Premultiplied: FIRN_REDUCE_PREMULTIPLIED8
        case .rgba8Straight: isOpaque ? FIRN_REDUCE_PREMULTIPLIED8 : FIRN_REDUCE_STRAIGHT8
        case .rgba16Straight: FIRN_REDUCE_STRAIGHT16
        case .rgbaHalfPremultiplied: FIRN_REDUCE_PREMULTIPLIED_HALF
        }
    }
}
