import CFirnCodecs
import FirnSync

/// Composites the images of an animation from its frames, in any order, as browsers show them.
///
/// The disposal "background" leaves transparent pixels, whatever background color the file names. Frames may lie partly
/// or wholly outside the canvas. Frames shown in order are decoded once each; for any other order, decoding starts at
/// the nearest canvas that is stored or irrelevant (``FrameOrder``).
final class FrameCompositor {
    /// The default limit of bytes for stored canvases: three of full HD.
    static let keptBytes = 32 << 20

    let reader: any FormatReader
    let limits: ImageLimits
    private(set) var kept: CanvasCache
    private var form: Form?
    /// The number of frames decoded so far.
    var framesDecoded = 0

    /// The properties of a canvas that the options of a decode decide.
    struct Form: Hashable {
        var format: PixelFormat
        var appliesColorProfile: Bool
        var target: ColorTarget

        /// Chooses the canvas form for images of `options`: straight if the image is, otherwise premultiplied. Frames
        /// are blended with 8 bits per sample, even if the result has more.
        init(_ options: DecodingOptions) {
            let isStraight = [.rgba8Straight, .rgba16Straight].contains(options.pixelFormat)
            format = isStraight ? .rgba8Straight : .bgra8Premultiplied
            appliesColorProfile = options.appliesColorProfile
            target = ColorTarget(profile: options.targetProfile, intent: options.renderingIntent)
        }
    }

    init(_ reader: any FormatReader, limits: ImageLimits, keptBytes: Int = FrameCompositor.keptBytes) {
        self.reader = reader
        self.limits = limits
        kept = CanvasCache(maximumBytes: keptBytes)
    }

    /// Returns whether a frame must be drawn on a canvas; a first frame that fills the canvas can be decoded directly.
    ///
    /// At full size and 8 bits, both ways give the same pixels, and the canvas is reused for the next frame. Otherwise
    /// the result must not depend on how many frames are known so far, or a file received in pieces would give other
    /// pixels.
    func needsCanvas(_ index: Int, for options: DecodingOptions) -> Bool {
        guard index == 0, let order = reader.order, let frame = reader.frames.first, frame.size == order.canvas,
            frame.area(on: order.canvas) == PixelArea(order.canvas)
        else { return true }
        let isAsStored = options.targetSize == nil && options.subsamplingLevel <= 1
        let is8Bit = options.pixelFormat.bytesPerPixel <= 4
        return isAsStored && is8Bit && order.entries.count > 1
    }

    /// Returns whether some pixel of the image may be transparent while a frame is shown.
    func hasAlpha(_ index: Int) -> Bool {
        guard let order = reader.order, order.entries.indices.contains(index) else { return true }
        return order.entries[index].hasAlpha
    }

    /// Returns the frame at which decoding of frame `index` starts, and the canvas under it.
    func start(for index: Int, _ form: Form) -> (frame: Int, canvas: Bitmap?) {
        if self.form != form {
            kept.removeAll()
            self.form = form
        }
        guard let order = reader.order, order.entries.indices.contains(index) else { return (index, nil) }
        let start = order.start(for: index) { kept[$0] != nil }
        return (start, order.entries[start].startsBlank ? nil : kept[start])
    }

    /// Stores the canvas under frame `index`, made for images of `form`.
    func keep(_ canvas: Bitmap?, under index: Int, _ form: Form) {
        guard let canvas, form == self.form else { return }
        kept.store(canvas, under: index)
    }

    /// Returns the bytes that decoding a frame holds besides the returned image: the canvas under it, the canvas that
    /// it is drawn on, and the frame.
    func workingBytes(_ request: RowRequest) -> Int {
        guard let canvas = reader.order?.canvas, let frame = reader.frame(request.frame) else { return 0 }
        let pixels = canvas.area.saturatingMultiply(2).saturatingAdd(frame.size.area)
        return pixels.saturatingMultiply(4).saturatingAdd(reader.workingBytes(for: request))
    }
}

/// Stored canvases of an animation, so that decoding a frame need not start at the first one.
///
/// Data structure: the canvas stored last, for frames shown in order, and key canvases, one every `spacing` frames, for
/// frames shown in any order. If the key canvases exceed the limit, the spacing doubles and every second one is
/// dropped, so that they stay spread over the animation.
///
/// Invariant: `keyBytes` is the total of the key canvases, and at most `maximumBytes`.
struct CanvasCache {
    /// The limit of bytes for key canvases. The canvas stored last is kept whatever its size.
    let maximumBytes: Int
    private(set) var spacing = 8
    private(set) var keyBytes = 0
    private var keys: [Int: Bitmap] = [:]
    private var latest: (index: Int, canvas: Bitmap)?

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// The canvas under frame `index`, if it is stored.
    subscript(index: Int) -> Bitmap? { latest?.index == index ? latest?.canvas : keys[index] }

    /// Returns whether ``store(_:under:)`` would store a canvas as a key.
    func isKey(_ index: Int) -> Bool { index > 0 && index % spacing == 0 }

    /// Stores the canvas under frame `index`.
    mutating func store(_ canvas: Bitmap, under index: Int) {
        latest = (index, canvas)
        guard isKey(index), keys[index] == nil, canvas.cost <= maximumBytes else { return }
        keys[index] = canvas
        keyBytes += canvas.cost
        while keyBytes > maximumBytes {
            // The number of frames bounds the spacing, so it cannot overflow.
            spacing *= 2
            for (key, canvas) in keys where !isKey(key) {
                keys[key] = nil
                keyBytes -= canvas.cost
            }
        }
    }

    /// Drops all canvases.
    mutating func removeAll() { self = CanvasCache(maximumBytes: maximumBytes) }
}

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
    mutating func image() throws(ImageError) -> Bitmap {
        if isBlank { state = .owned(try BitmapBuilder(size: size, format: format), isOpaque: false) }
        guard let bitmap = bitmap() else { throw ImageError.unusable(size) }
        return bitmap
    }

    /// Draws the pixels of a frame at the frame's place.
    mutating func draw(_ pixels: Bitmap, of frame: StoredFrame, blends: Bool) throws(ImageError) {
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
        // The case of a frame that replaces the whole canvas has returned above. Any other frame keeps the canvas
        // opaque only if it blends or is opaque itself.
        state = .owned(builder, isOpaque: wasOpaque && (blends || pixels.isOpaque))
    }

    /// Makes the area of a frame transparent.
    mutating func clear(_ frame: StoredFrame) throws(ImageError) {
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
    private func owned() throws(ImageError) -> (BitmapBuilder, isOpaque: Bool) {
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
