import CFirnCodecs
import FirnSync

/// Averages the rows of another source to fewer and shorter ones as they arrive.
///
/// The source rows have straight alpha and their own color space. Colors are converted and multiplied by alpha after
/// the averaging, because converting all stored pixels of a large image costs more than decoding them. Averaging before
/// the conversion changes the result no more than averaging in another encoding would.
///
/// A whole image is reduced when it is complete.
///
/// Invariant: rows `taken..<filled` of the held rows have arrived and are not averaged yet.
final class ReducedSource: RowSource {
    let size: PixelSize
    let layout: SampleLayout
    var hasPreviews: Bool { held.hasPreviews }
    var bytesNeeded: Int? { source.bytesNeeded }

    private let isOpaque: Bool
    private let reducer: AreaReducer
    private let held: SourceRows
    private var averaged = 0
    private var filled = 0
    private var source: any RowSource { held.source }

    /// - Parameter size: no side longer than the source's.
    /// - Parameter layout: the layout of the averages: the source's, or one with four bytes of a source of `rgb8`.
    /// - Throws: ``ImageError/Fault/limit`` if the source's whole image must be held and exceeds the limits, or
    ///   there is no memory.
    init(
        _ source: any RowSource, size: PixelSize, layout: SampleLayout, isOpaque: Bool, limits: ImageLimits
    ) throws(ImageError) {
        self.size = size
        self.layout = layout
        self.isOpaque = isOpaque
        reducer = try AreaReducer(from: source.size, to: size, layout: source.layout, isOpaque: isOpaque)
        held = try SourceRows(source, limits: limits)
    }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        var made = average(into: memory)
        let isOver = held.hasEnded && averaged == filled
        if made >= memory.rows || isOver { return RowProgress(rows: made, state: isOver ? .end : .more) }
        let progress = try source.isWhole ? readWhole(chain) : readStrip(chain)
        if made < memory.rows { made += average(into: memory, after: made) }
        return RowProgress(rows: made, state: averaged == filled ? progress.state : .more)
    }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> Bool {
        try held.preview(chain) { whole throws(ImageError) in
            try reduce(whole, into: memory)
        }
    }

    /// Averages arrived rows to new ones after the first `done`; returns how many were written.
    private func average(into memory: RowMemory, after done: Int = 0) -> Int {
        held.pixels.withPixels { pixels in
            var made = done
            while averaged < filled, made < memory.rows {
                // Order: takes only as many rows as there is room for, because each of them may complete a new row.
                let count = min(filled - averaged, memory.rows - made)
                made += reducer.add(
                    pixels.row(averaged), bytesPerRow: pixels.bytesPerRow, count: count,
                    into: memory.base + made * memory.bytesPerRow, bytesPerRow: memory.bytesPerRow)
                averaged += count
            }
            widen(memory, rows: done..<made)
            return made - done
        } ?? 0
    }

    /// Expands pixels of three bytes to four in place, if the layout requires that.
    private func widen(_ memory: RowMemory, rows: Range<Int>) {
        guard source.layout == .rgb8, layout != .rgb8 else { return }
        let (first, last) = layout == .bgra8 ? (2, 0) : (0, 2)
        for row in rows {
            let bytes = (memory.base + row * memory.bytesPerRow).assumingMemoryBound(to: UInt8.self)
            // Order: from the end, so that no pixel is overwritten before it is read.
            for x in stride(from: size.width - 1, through: 0, by: -1) {
                let pixel = (bytes[3 * x], bytes[3 * x + 1], bytes[3 * x + 2])
                bytes[4 * x + first] = pixel.0
                bytes[4 * x + 1] = pixel.1
                bytes[4 * x + last] = pixel.2
                bytes[4 * x + 3] = 255
            }
        }
    }

    /// Refills the strip once all of its rows have been averaged.
    private func readStrip(_ chain: ByteChain) throws(ImageError) -> RowProgress {
        guard averaged == filled else { return RowProgress(rows: 0, state: .more) }
        let progress = try held.read(chain)
        averaged = 0
        filled = progress.rows
        return progress
    }

    /// Continues the whole image; its rows count as arrived when all are complete.
    private func readWhole(_ chain: ByteChain) throws(ImageError) -> RowProgress {
        let progress = try held.read(chain)
        if progress.state == .end { filled = source.size.height }
        return progress
    }

    /// Averages a whole image with a separate reducer.
    private func reduce(_ whole: BitmapBuilder, into memory: RowMemory) throws(ImageError) {
        let other = try AreaReducer(from: source.size, to: size, layout: source.layout, isOpaque: isOpaque)
        whole.withPixels { pixels in
            let made = other.add(
                pixels.base, bytesPerRow: pixels.bytesPerRow, count: pixels.size.height, into: memory.base,
                bytesPerRow: memory.bytesPerRow)
            widen(memory, rows: 0..<made)
        }
    }
}

/// Decides how far an image is reduced by averaging before the resize to its exact size.
///
/// An average alone is a poor filter: it blurs and aliases. If the resize after it still halves the image, little of
/// that remains. For an image with stripes finer than the new pixels, reduced to an eighth, the mean difference from a
/// Lanczos resize of the whole is 1.0 levels, and 2.3 for an average alone (`AreaReducerTests`). Pillow's
/// `reducing_gap` is the same method; its documentation calls the result of 2 close.
enum Reduction {
    /// The least factor that is left to the resize.
    static let gap = 2.0

    /// Returns the size to which `size` is reduced if `least` is requested.
    ///
    /// Both sides are divided by the same whole number, so that the image keeps its ratio, and all new pixels cover the
    /// same number of old ones, except the last of a row or column, which may cover a fraction. The longer side
    /// decides: the other one was rounded more. An image whose longer side is less than twice ``gap`` times the
    /// requested one stays as it is.
    static func size(of size: PixelSize, covering least: PixelSize) -> PixelSize {
        let (horizontal, vertical) = (factor(size.width, least.width), factor(size.height, least.height))
        let reduced = size.divided(by: size.width > size.height ? horizontal : vertical)
        // The requested size may have another ratio.
        return reduced.covers(least) ? reduced : size.divided(by: min(horizontal, vertical))
    }

    private static func factor(_ side: Int, _ least: Int) -> Int {
        max(1, Int(saturating: (Double(side) / Double(max(least, 1)) / gap).rounded(.down)))
    }
}

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
    /// - Throws: ``ImageError/Fault/limit`` if there is no memory, or `to` is empty or larger than `from`.
    init(from: PixelSize, to: PixelSize, layout: SampleLayout, isOpaque: Bool) throws(ImageError) {
        guard let width = UInt32(exactly: from.width), let height = UInt32(exactly: from.height),
            let newWidth = UInt32(exactly: to.width), let newHeight = UInt32(exactly: to.height),
            let handle = firn_reducer_make(
                AreaReducer.kind(layout, isOpaque: isOpaque), width, height, newWidth, newHeight)
        else { throw .limit("no memory to make \(from) pixels \(to)") }
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
