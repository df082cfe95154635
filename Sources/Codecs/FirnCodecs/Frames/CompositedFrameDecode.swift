/// Decodes a frame that is composited over the image before it.
///
/// Invariant: `canvas` is the canvas under frame `next`, which is at most the requested frame.
final class CompositedFrameDecode: FrameDecode {
    private let compositor: FrameCompositor
    private let index: Int
    private let plan: DecodePlan
    private let form: FrameCompositor.Form
    private var canvas: FrameCanvas
    private var next: Int
    /// The decode of frame `next` alone.
    private var builder: ImageBuilder?
    private var shown: Bitmap?
    private(set) var bytesNeeded: Int?

    /// - Parameter plan: made for a frame as large as the canvas.
    init(_ compositor: FrameCompositor, _ plan: DecodePlan) {
        self.compositor = compositor
        index = plan.request.frame
        self.plan = plan
        form = FrameCompositor.Form(plan.options)
        let start = compositor.start(for: index, form)
        next = start.frame
        canvas = FrameCanvas(start.canvas, size: plan.frame.size, format: form.format)
    }

    func advance(_ chain: ByteChain) throws(ImageError) -> Bool {
        if shown != nil { return true }
        while next < index {
            try chain.watch.check()
            guard try pass(chain) else { return false }
            next += 1
            // Later decodes can start at key frames.
            if compositor.kept.isKey(next) { compositor.keep(canvas.bitmap(), under: next, form) }
        }
        return try show(chain)
    }

    func partial(_ chain: ByteChain, always: Bool) throws(ImageError) -> Bitmap? {
        guard next == index, shown == nil, let frame = compositor.reader.frame(index) else { return nil }
        guard let pixels = try builder?.partial(chain, always: always) else { return nil }
        var copy = FrameCanvas(canvas.bitmap(), size: canvas.size, format: form.format)
        // The canvas shows through pixels that are not decoded, even if the frame will replace it.
        try copy.draw(pixels, of: frame, blends: true)
        return try image(copy.image())
    }

    func finish() throws(ImageError) -> Bitmap {
        guard let shown else { throw .unsupported("an image is taken once it is complete") }
        return try image(shown)
    }

    // MARK: The frames before

    /// Advances the canvas from under frame `next` to under the one after it.
    private func pass(_ chain: ByteChain) throws(ImageError) -> Bool {
        guard let frame = compositor.reader.frame(next) else { return false }
        if frame.disposal == .keep { return try draw(frame, chain) }
        if frame.disposal == .background { try canvas.clear(frame) }
        return true
    }

    // MARK: The frame itself

    private func show(_ chain: ByteChain) throws(ImageError) -> Bool {
        guard let frame = compositor.reader.frame(index) else { return false }
        let before = canvas.bitmap()
        guard try draw(frame, chain) else { return false }
        let image = try canvas.image()
        shown = image
        switch frame.disposal {
        case .keep: compositor.keep(image, under: index + 1, form)
        case .previous: compositor.keep(before, under: index + 1, form)
        case .background:
            var after = FrameCanvas(before, size: canvas.size, format: form.format)
            try after.clear(frame)
            compositor.keep(after.bitmap(), under: index + 1, form)
        }
        return true
    }

    /// Draws frame `next`. Decodes nothing if the frame lies outside the canvas.
    ///
    /// - Returns: whether all its bytes have been received.
    private func draw(_ frame: StoredFrame, _ chain: ByteChain) throws(ImageError) -> Bool {
        if frame.area(on: canvas.size) == nil { return frame.isComplete || chain.isFinished }
        if builder == nil {
            try chain.watch.check()
            var options = plan.options
            options.frame = next
            options.region = nil
            options.targetSize = nil
            options.subsamplingLevel = 1
            options.pixelFormat = form.format
            let own = try DecodePlan(options, plan.properties, frame: frame, plan.workers)
            try compositor.limits.admitBuffer(frame.size, own.options.pixelFormat)
            guard let source = try compositor.reader.openFrame(own.request, chain) else { return false }
            builder = try ImageBuilder(source, own, limits: compositor.limits)
        }
        guard let own = builder, try own.advance(chain) else { return false }
        compositor.framesDecoded += 1
        let pixels = try own.finish()
        bytesNeeded = own.bytesNeeded
        builder = nil
        try canvas.draw(pixels, of: frame, blends: frame.blends)
        return true
    }

    // MARK: The image returned

    /// Converts the requested part of a canvas to the requested layout, size and orientation.
    private func image(_ canvas: Bitmap) throws(ImageError) -> Bitmap {
        let part = try plan.request.area.map { area throws(ImageError) in try canvas.part(area) } ?? canvas
        let reduced = try part.reduced(to: plan.imageSize(rows: part.size))
        return try reduced.converted(to: plan.options.pixelFormat).oriented(plan.orientation)
    }
}

extension Bitmap {
    /// Returns the image averaged down to `target`, no side of which is longer, or the image itself if it has that
    /// size.
    ///
    /// Supports only the two formats of four bytes per pixel.
    ///
    /// - Throws: ``ImageError/Fault/limit`` if there is no memory.
    func reduced(to target: PixelSize) throws(ImageError) -> Bitmap {
        guard target != size else { return self }
        // Premultiplied colors are averaged as they are; straight colors are weighted by their alpha.
        let reducer = try AreaReducer(
            from: size, to: target, layout: format == .bgra8Premultiplied ? .bgra8 : .rgba8,
            isOpaque: isOpaque || format == .bgra8Premultiplied)
        return try Bitmap(size: target, format: format, isOpaque: isOpaque) { pixels in
            withUnsafeBytes { source in
                guard let base = source.baseAddress else { return }
                _ = reducer.add(
                    base, bytesPerRow: bytesPerRow, count: size.height, into: pixels.base,
                    bytesPerRow: pixels.bytesPerRow)
            }
        }
    }

    /// Returns a copy of a part of the image, or the image itself if the part is all of it.
    ///
    /// - Throws: ``ImageError`` if there is no memory.
    func part(_ area: PixelArea) throws(ImageError) -> Bitmap {
        guard area != PixelArea(size) else { return self }
        return try Bitmap(size: area.size, format: format, isOpaque: isOpaque) { copy(area, to: $0) }
    }

    /// Copies a part of the image to `target`, which has the same format, from column `x` and row `y` on.
    func copy(_ area: PixelArea, to target: borrowing MutablePixels, x: Int = 0, y: Int = 0) {
        let (step, first, targetBytesPerRow) = (format.bytesPerPixel, target.row(y), target.bytesPerRow)
        withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            for row in 0..<area.size.height {
                (first + row * targetBytesPerRow + x * step).copyMemory(
                    from: base + (area.y + row) * bytesPerRow + area.x * step, byteCount: area.size.width * step)
            }
        }
    }
}
