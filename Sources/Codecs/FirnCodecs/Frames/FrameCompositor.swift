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

    /// The properties that canvases must share to be drawn on.
    struct Form: Hashable {
        var format: PixelFormat
        var appliesColorProfile: Bool

        /// Chooses the canvas form for images of `options`: straight if the image is, otherwise premultiplied. Frames
        /// are blended with 8 bits per sample, even if the result has more.
        init(_ options: DecodingOptions) {
            switch options.pixelFormat {
            case .rgba8Straight, .rgba16Straight: format = .rgba8Straight
            case .bgra8Premultiplied, .rgb8, .rgbaHalfPremultiplied: format = .bgra8Premultiplied
            }
            appliesColorProfile = options.appliesColorProfile
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

    /// Returns the bytes that decoding a frame holds besides the returned image: the canvas under it, the canvas drawn
    /// on, and the frame.
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
