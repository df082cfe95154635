import FirnImage
import FirnSync

// Streams the rows of one frame without building an image.
extension FormatSession: RowStreaming {
    func streamingBytes(for options: DecodingOptions) throws(ImageDecodingError) -> Int? {
        guard let plan = try streamPlan(options) else { return nil }
        let size = plan.frame.size
        let rows = SourceRows.evenRows(width: size.width, plan.colors.decoded)
        return size.width.saturatingMultiply(16).saturatingMultiply(rows)
            .saturatingAdd(reader.workingBytes(for: plan.request, frame: options.frame))
    }

    func streamRows(
        _ options: DecodingOptions, _ body: (UnsafeRawPointer, _ bytesPerRow: Int, _ count: Int) throws -> Void
    ) throws {
        guard let plan = try streamPlan(options) else { throw missing(options) }
        try plan.checkRow(width: plan.frame.size.width, limits)
        endDecode()
        let opened = try timed { _ throws(ImageDecodingError) in
            try reader.openFrame(options.frame, plan.request, chain)
        }
        guard let source = opened else { throw missing(options) }
        guard !source.isWhole, source.size == plan.frame.size else {
            throw ImageDecodingError(.unsupported, "the image is not stored row by row", format: reader.format)
        }
        let height = source.size.height
        let strip = PixelSize(
            width: source.size.width, height: min(height, SourceRows.evenRows(width: source.size.width, source.layout)))
        let pixels = try BitmapBuilder(size: strip, format: plan.options.pixelFormat, zeroed: false)
        let samples = plan.colors.needsStrip ? try BitmapBuilder.strip(strip, plan.colors.decoded, limits) : nil
        var finisher = RowFinisher(plan: plan.colors, hasAlpha: plan.frame.hasAlpha)
        // The number of rows in the strip, and of rows passed to `body`.
        var (filled, done) = (0, 0)
        var isOver = false
        while !isOver, done < height {
            let wanted = min(strip.height, height - done) - filled
            let progress = try timed(continues: true) { watch throws(ImageDecodingError) in
                try watch.check()
                return try pixels.decode { pixels throws(ImageDecodingError) in
                    try read(source, &pixels, samples, from: filled, rows: wanted, &finisher)
                }
            }
            guard let progress else { break }
            filled += min(progress.rows, wanted)
            switch progress.state {
            case .more: break
            case .needsBytes: throw missing(options)
            case .end: isOver = true
            }
            guard filled == min(strip.height, height - done) || isOver else { continue }
            if filled > 0 { try pixels.withPixels { try body($0.base, $0.bytesPerRow, filled) } }
            done += filled
            filled = 0
        }
        guard done == height else {
            throw ImageDecodingError(.data, "has pixels for \(done) rows of \(height)", format: reader.format)
        }
    }

    /// Decodes at most `rows` rows into a strip, of which `filled` rows are there.
    private func read(
        _ source: any RowSource, _ pixels: inout MutablePixels, _ samples: BitmapBuilder?, from filled: Int, rows: Int,
        _ finisher: inout RowFinisher
    ) throws(ImageDecodingError) -> RowProgress {
        guard let samples else {
            let progress = try source.read(
                chain, into: pixels.row(filled), bytesPerRow: pixels.bytesPerRow, rows: rows)
            try finisher.finish(&pixels, rows: filled..<filled + min(progress.rows, rows))
            return progress
        }
        let progress =
            try samples.decode { samples throws(ImageDecodingError) in
                try source.read(chain, into: samples.row(filled), bytesPerRow: samples.bytesPerRow, rows: rows)
            } ?? RowProgress(rows: 0, state: .end)
        _ = try samples.decode { samples throws(ImageDecodingError) in
            try finisher.finish(
                &pixels, rows: filled..<filled + min(progress.rows, rows), from: samples.row(filled),
                bytesPerRow: samples.bytesPerRow)
        }
        return progress
    }

    /// The plan of a decode row by row; `nil` if rows do not come in order, or the frame is not known.
    private func streamPlan(_ options: DecodingOptions) throws(ImageDecodingError) -> DecodePlan? {
        var options = options
        options.targetSize = nil
        options.region = nil
        options.subsamplingLevel = 1
        options.appliesOrientation = false
        options.allowsPartial = false
        guard let properties = try properties(), reader.frames.indices.contains(options.frame),
            !isDrawn(options.frame, options)
        else { return nil }
        // Passes are written all over the image. Scans of a JPEG are held as coefficients.
        guard !properties.isProgressive || properties.format == .jpeg else { return nil }
        return try plan(options.frame, options, properties)
    }
}
