import CFirnCodecs
import FirnImage

/// The canvas of an animation while frames are drawn on it.
///
/// Copy-on-write: copies only before drawing on a canvas that others may read.
struct FrameCanvas {
    let size: PixelSize
    let format: PixelFormat
    private var state: State

    private enum State {
        case blank
        case shared(Bitmap)
        case owned(BitmapBuilder, isOpaque: Bool)
    }

    /// Creates a canvas that shows `bitmap`, or a blank one.
    ///
    /// - Parameter format: one of the two formats of four bytes per pixel.
    init(_ bitmap: Bitmap?, size: PixelSize, format: PixelFormat) {
        self.size = size
        self.format = format
        state = bitmap.map(State.shared) ?? .blank
    }

    /// True if nothing has been drawn since the canvas was blank.
    var isBlank: Bool {
        if case .blank = state { true } else { false }
    }

    /// Returns the image on the canvas without a copy; `nil` if it is blank.
    mutating func bitmap() -> Bitmap? {
        switch state {
        case .blank: return nil
        case .shared(let bitmap): return bitmap
        case .owned(let builder, let isOpaque):
            guard let bitmap = builder.finish(isOpaque: isOpaque) else { return nil }
            state = .shared(bitmap)
            return bitmap
        }
    }

    /// Returns the image on the canvas, transparent if it is blank.
    mutating func image() throws(BitmapError) -> Bitmap {
        if isBlank { state = .owned(try BitmapBuilder(size: size, format: format), isOpaque: false) }
        guard let bitmap = bitmap() else { throw BitmapError.unusable(size) }
        return bitmap
    }

    /// Draws the pixels of a frame at the frame's place.
    mutating func draw(_ pixels: Bitmap, of frame: StoredFrame, blends: Bool) throws(BitmapError) {
        let area = frame.area(on: size)
        guard !area.isEmpty else { return }
        let replaces = !blends || pixels.isOpaque || isBlank
        if replaces, pixels.size == size, area == CanvasArea(size) {
            state = .shared(pixels)
            return
        }
        let (builder, wasOpaque) = try owned()
        builder.withPixels { target in
            pixels.withUnsafeBytes { source in
                guard let base = source.baseAddress else { return }
                let rows = area.rows.prefix(max(0, pixels.size.height))
                let width = min(area.columns.count, pixels.size.width)
                if replaces {
                    for row in rows {
                        (target.row(row) + area.columns.lowerBound * 4).copyMemory(
                            from: base + (row - area.rows.lowerBound) * pixels.bytesPerRow, byteCount: width * 4)
                    }
                    return
                }
                let to = (target.row(area.rows.lowerBound) + area.columns.lowerBound * 4)
                    .assumingMemoryBound(to: UInt8.self)
                let composite =
                    format == .bgra8Premultiplied ? firn_composite_premultiplied : firn_composite_straight
                composite(
                    to, target.bytesPerRow, base.assumingMemoryBound(to: UInt8.self), pixels.bytesPerRow,
                    UInt32(clamping: width), UInt32(clamping: rows.count))
            }
        }
        // A frame that replaces the whole canvas has returned above. Any other keeps opaque pixels opaque only if it
        // blends, or is opaque itself.
        state = .owned(builder, isOpaque: wasOpaque && (blends || pixels.isOpaque))
    }

    /// Makes the area of a frame transparent.
    mutating func clear(_ frame: StoredFrame) throws(BitmapError) {
        let area = frame.area(on: size)
        if area.isEmpty || isBlank { return }
        if area == CanvasArea(size) {
            state = .blank
            return
        }
        let (builder, _) = try owned()
        builder.withPixels { target in
            for row in area.rows {
                let start = target.row(row) + area.columns.lowerBound * 4
                start.initializeMemory(as: UInt8.self, repeating: 0, count: area.columns.count * 4)
            }
        }
        state = .owned(builder, isOpaque: false)
    }

    /// Returns writable memory with the canvas's content.
    private func owned() throws(BitmapError) -> (BitmapBuilder, isOpaque: Bool) {
        switch state {
        case .blank: return (try BitmapBuilder(size: size, format: format), false)
        case .owned(let builder, let isOpaque): return (builder, isOpaque)
        case .shared(let bitmap):
            let builder = try BitmapBuilder(size: size, format: format)
            builder.withPixels { target in
                bitmap.withUnsafeBytes { source in
                    guard let base = source.baseAddress else { return }
                    if bitmap.bytesPerRow == target.bytesPerRow {
                        target.base.copyMemory(from: base, byteCount: target.bytesPerRow * size.height)
                        return
                    }
                    for row in 0..<size.height {
                        target.row(row).copyMemory(from: base + row * bitmap.bytesPerRow, byteCount: size.width * 4)
                    }
                }
            }
            return (builder, bitmap.isOpaque)
        }
    }
}

/// A rectangle of the canvas, clipped to it.
struct CanvasArea: Equatable {
    var columns: Range<Int>
    var rows: Range<Int>

    /// The whole area of a canvas.
    init(_ canvas: PixelSize) {
        columns = 0..<max(0, canvas.width)
        rows = 0..<max(0, canvas.height)
    }

    /// The area of a canvas that a frame at `x` and `y`, which are not negative, covers.
    init(x: Int, y: Int, size: PixelSize, on canvas: PixelSize) {
        // Positions and sides come from fields of at most 32 bits.
        let left = min(max(0, x), max(0, canvas.width))
        let top = min(max(0, y), max(0, canvas.height))
        columns = left..<max(left, min(canvas.width, x + size.width))
        rows = top..<max(top, min(canvas.height, y + size.height))
    }

    var isEmpty: Bool { columns.isEmpty || rows.isEmpty }
}

extension StoredFrame {
    /// Returns the part of a canvas that the frame covers.
    func area(on canvas: PixelSize) -> CanvasArea { CanvasArea(x: x, y: y, size: size, on: canvas) }
}
