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
    /// The rows that the last preview showed.
    private var rowsShown = 0
    /// The last preview, if the source makes previews.
    private var shown: Bitmap?

    /// - Throws: ``ImageDecodingError/Fault/limit`` if the image needs more memory than allowed or available.
    init(_ source: any RowSource, _ plan: DecodePlan, limits: ImageLimits) throws(ImageDecodingError) {
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
        pixels = try ImageDecodingError.asLimit {
            // Rows in order fill the whole image, or it is never finished.
            try BitmapBuilder(size: size, format: plan.options.pixelFormat, zeroed: !source.fillsInOrder)
        }
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
    func advance(_ chain: ByteChain) throws(ImageDecodingError) -> Bool {
        while !isComplete {
            try chain.watch.check()
            let progress = try pixels.withPixels { pixels throws(ImageDecodingError) in try takeRows(chain, pixels) }
            switch progress?.state {
            case .more: continue
            case .needsBytes:
                // All rows of an image of several scans are written after the last byte, when their time delays the
                // image. So their memory is prepared while the decode waits for bytes.
                if source.hasPreviews, finished == 0 { pixels.prepare(ImageBuilder.bytesPrepared) }
                return false
            case .end, nil: isComplete = true
            }
        }
        return true
    }

    /// The bytes of the image whose memory is prepared at once: a millisecond or two.
    private static let bytesPrepared = 4 << 20

    /// Returns the image and releases it from the builder.
    func finish() throws(ImageDecodingError) -> Bitmap {
        shown = nil
        guard !source.fillsInOrder || finished == pixels.size.height else {
            throw ImageDecodingError(.data, "has pixels for \(finished) rows of \(pixels.size.height)")
        }
        guard let bitmap = pixels.finish(isOpaque: finisher.isOpaque) else {
            throw ImageDecodingError(.unsupported, "an image is taken once")
        }
        return bitmap
    }

    /// Returns an image of the pixels decoded so far.
    ///
    /// - Parameter always: whether to return it even if an earlier call showed as much.
    /// - Returns: `nil` if there is nothing (new).
    func partial(_ chain: ByteChain, always: Bool) throws(ImageDecodingError) -> Bitmap? {
        if source.hasPreviews, finished == 0 {
            let copy = try ImageDecodingError.asLimit { try BitmapBuilder(size: pixels.size, format: pixels.format) }
            guard try show(chain, in: copy) else { return always ? shown : nil }
            shown = copy.finish(isOpaque: !plan.frame.hasAlpha)
            return shown
        }
        guard always || finished > rowsShown || (!source.fillsInOrder && !isComplete) else { return nil }
        guard finished > 0 || !source.fillsInOrder else { return nil }
        rowsShown = finished
        let copy = try ImageDecodingError.asLimit { try pixels.copy(rows: source.fillsInOrder ? finished : nil) }
        var rest = finisher
        if !source.fillsInOrder {
            _ = try copy.withPixels { pixels throws(ImageDecodingError) in
                try rest.finish(pixels, rows: finished..<pixels.size.height, samplesFrom: finished)
            }
        }
        let isOpaque = isComplete && rest.isOpaque
        return copy.finish(isOpaque: isOpaque)
    }

    /// Writes the source's preview.
    private func show(_ chain: ByteChain, in copy: BitmapBuilder) throws(ImageDecodingError) -> Bool {
        let whole =
            finisher.samples == nil ? nil : try BitmapBuilder.samples(copy.size, plan.colors.decoded, limits)
        var all = RowFinisher(source: source, plan: plan, samples: whole)
        return try copy.withPixels { pixels throws(ImageDecodingError) in
            let isNew = try all.preview(chain, pixels)
            if isNew { try all.finish(pixels, rows: 0..<pixels.size.height, samplesFrom: 0) }
            return isNew
        } ?? false
    }

    /// Decodes the next rows, or in passes all over the image, and finishes those that are complete.
    private func takeRows(
        _ chain: ByteChain, _ pixels: borrowing MutablePixels
    ) throws(ImageDecodingError) -> RowProgress {
        let isWhole = source.isWhole
        let rows = isWhole ? pixels.size.height : min(rowsAtOnce, pixels.size.height - finished)
        guard rows > 0 else { return RowProgress(rows: 0, state: .end) }
        let progress = try finisher.read(chain, rows: rows, pixels, at: isWhole ? 0 : finished)
        // Order: a row is finished in place once no pass will change it again.
        let done = min(progress.rows, rows)
        let end = isWhole ? max(finished, done) : finished + done
        try finisher.finish(pixels, rows: finished..<end, samplesFrom: isWhole ? finished : 0)
        finished = end
        return progress
    }
}
