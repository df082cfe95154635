import CFirnCodecs

/// Builds an image from the rows of one source, as far as they have arrived.
///
/// Each row is decoded, averaged with others if less is requested (``ReducedSource``), converted to sRGB, and
/// multiplied by alpha (``RowFinisher``).
final class ImageBuilder {
    private let source: any RowSource
    private let plan: DecodePlan
    private let limits: ImageLimits
    private let rowsAtOnce: Int
    private var pixels: BitmapBuilder
    private var finisher: RowFinisher
    /// The number of rows from the top whose pixels are final.
    private var finished = 0
    private(set) var isComplete = false
    /// The number of rows in the last preview.
    private var rowsShown = 0
    /// The last preview, if the source makes previews.
    private var shown: Bitmap?

    /// - Throws: ``ImageError/Fault/limit`` if the image needs more memory than allowed or available.
    init(_ source: any RowSource, _ plan: DecodePlan, limits: ImageLimits) throws(ImageError) {
        let size = plan.imageSize(rows: source.size)
        try limits.admitBuffer(size, plan.options.pixelFormat)
        let source =
            size == source.size
            ? source
            : try ReducedSource(
                source, size: size, layout: plan.colors.decoded, isOpaque: !plan.frame.hasAlpha, limits: limits)
        self.source = source
        self.plan = plan
        self.limits = limits
        rowsAtOnce = plan.colors.rowsAtOnce(width: size.width)
        // Rows in order fill the whole image, or it never finishes.
        pixels = try BitmapBuilder(size: size, format: plan.options.pixelFormat, zeroed: !source.fillsInOrder)
        let samples =
            plan.colors.needsStrip
            ? try BitmapBuilder.samples(of: source, plan.colors.decoded, rows: rowsAtOnce, limits) : nil
        finisher = RowFinisher(source: source, plan: plan, samples: samples)
    }

    /// The number of first bytes of the file that the complete image needed.
    var bytesNeeded: Int? { source.bytesNeeded }

    /// Decodes rows as far as the received bytes allow.
    ///
    /// - Returns: whether the image is complete.
    func advance(_ chain: ByteChain) throws(ImageError) -> Bool {
        while !isComplete {
            try chain.watch.check()
            let progress = try pixels.withPixels { pixels throws(ImageError) in try takeRows(chain, pixels) }
            switch progress?.state {
            case .more: continue
            case .needsBytes:
                // An image of several scans writes all its rows after the last byte, when page faults would delay it.
                // Its memory is prepared while the decode waits for bytes.
                if source.hasPreviews, finished == 0 { pixels.prepare(ImageBuilder.bytesPrepared) }
                return false
            case .end, nil: isComplete = true
            }
        }
        return true
    }

    /// The bytes of the image that are prepared at a time, in a millisecond or two.
    private static let bytesPrepared = 4 << 20

    /// Returns the image and releases it from the builder.
    func finish() throws(ImageError) -> Bitmap {
        shown = nil
        guard !source.fillsInOrder || finished == pixels.size.height else {
            throw .data("has pixels for \(finished) rows of \(pixels.size.height)")
        }
        guard let bitmap = pixels.finish(isOpaque: finisher.isOpaque) else {
            throw .unsupported("an image is taken once")
        }
        return bitmap
    }

    /// Returns an image of the pixels decoded so far.
    ///
    /// - Parameter always: whether to return it even if an earlier call showed as much.
    /// - Returns: `nil` if there is nothing (new).
    func partial(_ chain: ByteChain, always: Bool) throws(ImageError) -> Bitmap? {
        if source.hasPreviews, finished == 0 {
            let copy = try BitmapBuilder(size: pixels.size, format: pixels.format)
            guard try show(chain, in: copy) else { return always ? shown : nil }
            shown = copy.finish(isOpaque: !plan.frame.hasAlpha)
            return shown
        }
        guard always || finished > rowsShown || (!source.fillsInOrder && !isComplete) else { return nil }
        guard finished > 0 || !source.fillsInOrder else { return nil }
        rowsShown = finished
        let copy = try pixels.copy(rows: source.fillsInOrder ? finished : nil)
        var rest = finisher
        if !source.fillsInOrder {
            _ = try copy.withPixels { pixels throws(ImageError) in
                try rest.finish(pixels, rows: finished..<pixels.size.height, samplesFrom: finished)
            }
        }
        let isOpaque = isComplete && rest.isOpaque
        return copy.finish(isOpaque: isOpaque)
    }

    /// Writes the source's preview.
    private func show(_ chain: ByteChain, in copy: BitmapBuilder) throws(ImageError) -> Bool {
        let whole =
            finisher.samples == nil ? nil : try BitmapBuilder.samples(copy.size, plan.colors.decoded, limits)
        var all = RowFinisher(source: source, plan: plan, samples: whole)
        return try copy.withPixels { pixels throws(ImageError) in
            let isNew = try all.preview(chain, pixels)
            if isNew { try all.finish(pixels, rows: 0..<pixels.size.height, samplesFrom: 0) }
            return isNew
        } ?? false
    }

    /// Decodes the next rows, or the next part of a pass, and finishes the rows that are complete.
    private func takeRows(
        _ chain: ByteChain, _ pixels: borrowing MutablePixels
    ) throws(ImageError) -> RowProgress {
        let isWhole = source.isWhole
        let rows = isWhole ? pixels.size.height : min(rowsAtOnce, pixels.size.height - finished)
        guard rows > 0 else { return RowProgress(rows: 0, state: .end) }
        let progress = try finisher.read(chain, rows: rows, pixels, at: isWhole ? 0 : finished)
        // Order: a row is finished in place, so no later pass may change it.
        let done = min(progress.rows, rows)
        let end = isWhole ? max(finished, done) : finished + done
        try finisher.finish(pixels, rows: finished..<end, samplesFrom: isWhole ? finished : 0)
        finished = end
        return progress
    }
}

/// Decodes the rows of a source, and converts their samples to the image's pixels: colors to sRGB, then multiplies them
/// by alpha.
///
/// Samples in the image's own layout are decoded in place; others go through `samples`.
///
/// Order: a profile describes straight colors, so it is applied before the multiplication.
struct RowFinisher {
    let source: any RowSource
    let plan: DecodePlan
    /// Samples in another layout than the image's: the whole image if the source is whole, otherwise a strip of the
    /// most rows that are read at once. `nil` if the plan needs no strip.
    let samples: BitmapBuilder?
    /// True if every row finished so far is opaque.
    private(set) var isOpaque = true

    /// Decodes at most `rows` rows, for `pixels` from row `first` on. A whole source decodes all over the image.
    func read(
        _ chain: ByteChain, rows: Int, _ pixels: borrowing MutablePixels, at first: Int
    ) throws(ImageError) -> RowProgress {
        if let samples { return try source.read(chain, into: samples, rows: rows) }
        return try source.read(chain, into: source.memory(pixels, at: first, rows: rows))
    }

    /// Writes the preview of the whole image.
    ///
    /// - Returns: whether there was anything new since the last call.
    func preview(_ chain: ByteChain, _ pixels: borrowing MutablePixels) throws(ImageError) -> Bool {
        if let samples { return try source.preview(chain, into: samples) }
        return try source.preview(chain, into: source.memory(pixels))
    }

    /// Finishes rows that were decoded into the image, or into `samples` from row `start` on. Call it once for each
    /// row.
    mutating func finish(
        _ pixels: borrowing MutablePixels, rows: Range<Int>, samplesFrom start: Int
    ) throws(ImageError) {
        guard !rows.isEmpty else { return }
        let block = PixelBlock(pixels, rows: rows)
        let step = plan.colors.step
        if let samples {
            _ = try samples.withPixels { samples throws(ImageError) in
                try RowFinisher.convert(samples.row(start), bytesPerRow: samples.bytesPerRow, step, to: block)
            }
        } else {
            try RowFinisher.convert(block.base, bytesPerRow: block.bytesPerRow, step, to: block)
        }
        multiply(block)
    }

    private static func convert(
        _ samples: UnsafeRawPointer, bytesPerRow: Int, _ step: ColorPlan.Step, to block: PixelBlock
    ) throws(ImageError) {
        switch step {
        case .none: break
        case .transform(let transform): try transform.apply(samples, bytesPerRow: bytesPerRow, to: block)
        case .widen:
            firn_pixels_widen(
                samples.assumingMemoryBound(to: UInt8.self), bytesPerRow, block.base, block.bytesPerRow, block.width,
                block.rows)
        }
    }

    private mutating func multiply(_ block: PixelBlock) {
        guard plan.frame.hasAlpha, block.format.hasAlpha else { return }
        let layout = plan.colors.output.library
        if firn_layout_opaque(layout, block.base, block.bytesPerRow, block.width, block.rows) { return }
        isOpaque = false
        switch block.format {
        case .bgra8Premultiplied:
            firn_pixels_premultiply(block.base, block.bytesPerRow, block.width, block.rows)
        case .rgbaHalfPremultiplied:
            firn_pixels_premultiply_halves(block.base, block.bytesPerRow, block.width, block.rows)
        case .rgba8Straight, .rgba16Straight, .rgb8: break
        }
    }
}
