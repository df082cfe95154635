import FirnImage

/// Builds an image from the rows of one source, as far as they have arrived.
///
/// Each row is decoded, averaged with others if less is requested (``ReducedSource``), converted to sRGB, and
/// multiplied by alpha (``RowFinisher``). Samples in the image's own layout are decoded in place; others go through
/// `samples`.
final class ImageBuilder {
    private let source: any RowSource
    private let plan: DecodePlan
    private let limits: ImageLimits
    private let rowsAtOnce: Int
    private var pixels: BitmapBuilder
    /// A strip of samples in another layout than the image's, or all of them if the source is whole.
    private let samples: BitmapBuilder?
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
        try plan.checkBytes(size, limits)
        let source =
            size == source.size
            ? source
            : try ReducedSource(
                source, size: size, layout: plan.colors.decoded, isOpaque: !plan.frame.hasAlpha, limits: limits)
        self.source = source
        self.plan = plan
        self.limits = limits
        rowsAtOnce = plan.colors.rowsAtOnce(width: size.width)
        pixels = try ImageDecodingError.naming {
            // Rows in order fill the whole image, or it is never finished.
            try BitmapBuilder(size: size, format: plan.options.pixelFormat, zeroed: !source.fillsInOrder)
        }
        if !plan.colors.needsStrip {
            samples = nil
        } else if source.isWhole {
            samples = try BitmapBuilder.samples(size, plan.colors.decoded, limits)
        } else {
            samples = try BitmapBuilder.strip(
                PixelSize(width: size.width, height: min(size.height, rowsAtOnce)), plan.colors.decoded, limits)
        }
        finisher = RowFinisher(plan: plan.colors, hasAlpha: plan.frame.hasAlpha)
    }

    /// The number of first bytes of the file that the complete image needed.
    var bytesNeeded: Int? { source.bytesNeeded }

    /// Decodes rows as far as the received bytes allow.
    ///
    /// - Returns: whether the image is complete.
    func advance(_ chain: ByteChain, _ watch: DecodingWatch) throws(ImageDecodingError) -> Bool {
        while !isComplete {
            try watch.check()
            let progress = try pixels.decode { pixels throws(ImageDecodingError) in try takeRows(chain, &pixels) }
            switch progress?.state {
            case .more: continue
            case .needsBytes:
                prepareMemory()
                return false
            case .end, nil: isComplete = true
            }
        }
        return true
    }

    /// The bytes of the image whose memory is prepared at once: a millisecond or two.
    private static let bytesPrepared = 4 << 20

    /// Prepares memory while the decode waits for bytes.
    ///
    /// All rows of an image of several scans are written after the last byte, when their time delays the image.
    private func prepareMemory() {
        if source.hasPreviews, finished == 0 { pixels.prepare(ImageBuilder.bytesPrepared) }
    }

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
            let copy = try ImageDecodingError.naming { try BitmapBuilder(size: pixels.size, format: pixels.format) }
            guard try show(chain, in: copy) else { return always ? shown : nil }
            shown = copy.finish(isOpaque: !plan.frame.hasAlpha)
            return shown
        }
        guard always || finished > rowsShown || (!source.fillsInOrder && !isComplete) else { return nil }
        guard finished > 0 || !source.fillsInOrder else { return nil }
        rowsShown = finished
        let copy = try ImageDecodingError.naming { try pixels.copy(rows: source.fillsInOrder ? finished : nil) }
        var rest = finisher
        if !source.fillsInOrder {
            _ = try copy.decode { pixels throws(ImageDecodingError) in
                try finish(&pixels, rows: finished..<pixels.size.height, with: &rest)
            }
        }
        let isOpaque = isComplete && rest.isOpaque
        return copy.finish(isOpaque: isOpaque)
    }

    /// Writes the source's preview.
    private func show(_ chain: ByteChain, in copy: BitmapBuilder) throws(ImageDecodingError) -> Bool {
        var all = RowFinisher(plan: plan.colors, hasAlpha: plan.frame.hasAlpha)
        let whole = samples == nil ? nil : try BitmapBuilder.samples(copy.size, plan.colors.decoded, limits)
        return try copy.decode { pixels throws(ImageDecodingError) in
            let rows = 0..<pixels.size.height
            guard let whole else {
                let isNew = try source.preview(chain, into: pixels.base, bytesPerRow: pixels.bytesPerRow)
                if isNew { try all.finish(&pixels, rows: rows) }
                return isNew
            }
            let isNew = try whole.decode { samples throws(ImageDecodingError) in
                try source.preview(chain, into: samples.base, bytesPerRow: samples.bytesPerRow)
            }
            guard isNew == true else { return false }
            _ = try whole.decode { samples throws(ImageDecodingError) in
                try all.finish(&pixels, rows: rows, from: samples.base, bytesPerRow: samples.bytesPerRow)
            }
            return true
        } ?? false
    }

    private func takeRows(_ chain: ByteChain, _ pixels: inout MutablePixels) throws(ImageDecodingError) -> RowProgress {
        if source.isWhole { return try takeWhole(chain, &pixels) }
        let rows = min(rowsAtOnce, pixels.size.height - finished)
        guard rows > 0 else { return RowProgress(rows: 0, state: .end) }
        let progress: RowProgress
        if let samples {
            progress =
                try samples.decode { samples throws(ImageDecodingError) in
                    try source.read(chain, into: samples.base, bytesPerRow: samples.bytesPerRow, rows: rows)
                } ?? RowProgress(rows: 0, state: .end)
        } else {
            progress = try source.read(
                chain, into: pixels.row(finished), bytesPerRow: pixels.bytesPerRow, rows: rows)
        }
        let end = finished + min(progress.rows, rows)
        try finish(&pixels, rows: finished..<end, with: &finisher)
        finished = end
        return progress
    }

    /// Decodes rows in passes, all over the image.
    private func takeWhole(_ chain: ByteChain, _ pixels: inout MutablePixels) throws(ImageDecodingError) -> RowProgress
    {
        let progress: RowProgress
        if let samples {
            progress =
                try samples.decode { samples throws(ImageDecodingError) in
                    try source.read(
                        chain, into: samples.base, bytesPerRow: samples.bytesPerRow, rows: samples.size.height)
                } ?? RowProgress(rows: 0, state: .end)
        } else {
            progress = try source.read(
                chain, into: pixels.base, bytesPerRow: pixels.bytesPerRow, rows: pixels.size.height)
        }
        // Order: a row is finished in place once no pass will change it again.
        let end = max(finished, min(progress.rows, pixels.size.height))
        try finish(&pixels, rows: finished..<end, with: &finisher)
        finished = end
        return progress
    }

    /// Finishes rows that were decoded into the image, or into `samples`, where they start at the strip's beginning or
    /// at their own place.
    private func finish(
        _ pixels: inout MutablePixels, rows: Range<Int>, with finisher: inout RowFinisher
    ) throws(ImageDecodingError) {
        guard let samples else { return try finisher.finish(&pixels, rows: rows) }
        let first = source.isWhole ? rows.lowerBound : 0
        _ = try samples.decode { samples throws(ImageDecodingError) in
            try finisher.finish(&pixels, rows: rows, from: samples.row(first), bytesPerRow: samples.bytesPerRow)
        }
    }
}
