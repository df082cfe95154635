import CFirnCodecs

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
        guard let area = frame.area(on: size) else { return }
        let replaces = !blends || pixels.isOpaque || isBlank
        if replaces, pixels.size == size, area == PixelArea(size) {
            state = .shared(pixels)
            return
        }
        let (builder, wasOpaque) = try owned()
        let part = PixelSize(
            width: min(area.size.width, pixels.size.width), height: min(area.size.height, pixels.size.height))
        builder.withPixels { target in
            if replaces { return pixels.copy(PixelArea(part), to: target, x: area.x, y: area.y) }
            pixels.withUnsafeBytes { source in
                guard let base = source.baseAddress else { return }
                let to = (target.row(area.y) + area.x * 4).assumingMemoryBound(to: UInt8.self)
                let composite =
                    format == .bgra8Premultiplied ? firn_composite_premultiplied : firn_composite_straight
                composite(
                    to, target.bytesPerRow, base.assumingMemoryBound(to: UInt8.self), pixels.bytesPerRow,
                    UInt32(clamping: part.width), UInt32(clamping: part.height))
            }
        }
        // A frame that replaces the whole canvas has returned above. Any other keeps opaque pixels opaque only if it
        // blends, or is opaque itself.
        state = .owned(builder, isOpaque: wasOpaque && (blends || pixels.isOpaque))
    }

    /// Makes the area of a frame transparent.
    mutating func clear(_ frame: StoredFrame) throws(BitmapError) {
        guard let area = frame.area(on: size), !isBlank else { return }
        if area == PixelArea(size) {
            state = .blank
            return
        }
        let (builder, _) = try owned()
        builder.withPixels { target in
            for row in area.rows {
                let start = target.row(row) + area.x * 4
                start.initializeMemory(as: UInt8.self, repeating: 0, count: area.size.width * 4)
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
            builder.withPixels { bitmap.copy(PixelArea(size), to: $0) }
            return (builder, bitmap.isOpaque)
        }
    }
}
