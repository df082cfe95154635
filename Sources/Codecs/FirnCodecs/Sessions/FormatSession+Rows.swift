import FirnSync
import FoundationEssentials

// Streams the rows of one frame without building an image.
extension FormatSession: RowStreaming {
    func streamingBytes(for options: DecodingOptions) throws(ImageError) -> Int? {
        guard let plan = try streamPlan(options) else { return nil }
        let size = plan.frame.size
        let rows = plan.colors.decoded.evenRows(width: size.width)
        return size.width.saturatingMultiply(16).saturatingMultiply(rows)
            .saturatingAdd(reader.workingBytes(for: plan.request))
    }

    func streamRows(
        _ options: DecodingOptions, _ body: (UnsafeRawPointer, _ bytesPerRow: Int, _ count: Int) throws -> Void
    ) throws {
        guard let plan = try streamPlan(options) else { throw missing(options) }
        try plan.checkRow(width: plan.frame.size.width, limits)
        endDecode()
        let opened = try timed { () throws(ImageError) in
            var request = plan.request
            request.makesIndex = plan.options.subsamplingLevel > 1
            return try reader.openFrame(request, chain)
        }
        guard let source = opened else { throw missing(options) }
        guard !source.isWhole, source.size == plan.request.least ?? plan.frame.size else {
            throw ImageError(.unsupported, at: .decoding, "the image is not stored row by row", format: reader.format)
        }
        let height = source.size.height
        let strip = PixelSize(
            width: source.size.width, height: min(height, source.layout.evenRows(width: source.size.width)))
        let pixels = try BitmapBuilder(size: strip, format: plan.options.pixelFormat, zeroed: false)
        let samples = plan.colors.needsStrip ? try BitmapBuilder.strip(strip, plan.colors.decoded, limits) : nil
        var finisher = RowFinisher(source: source, plan: plan, samples: samples)
        // The number of rows in the strip, and of rows passed to `body`.
        var (filled, done) = (0, 0)
        var isOver = false
        while !isOver, done < height {
            let wanted = min(strip.height, height - done) - filled
            let progress = try timed(continues: true) { () throws(ImageError) in
                try chain.watch.check()
                return try pixels.withPixels { pixels throws(ImageError) in
                    let progress = try finisher.read(chain, rows: wanted, pixels, at: filled)
                    let end = filled + min(progress.rows, wanted)
                    try finisher.finish(pixels, rows: filled..<end, samplesFrom: 0)
                    return progress
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
            throw ImageError(.data, at: .decoding, "has pixels for \(done) rows of \(height)", format: reader.format)
        }
    }

    /// Returns the plan of a decode row by row; `nil` if rows do not come in order, or the frame is not known.
    private func streamPlan(_ options: DecodingOptions) throws(ImageError) -> DecodePlan? {
        var options = options
        options.targetSize = nil
        options.region = nil
        options.appliesOrientation = false
        options.allowsPartial = false
        guard let properties = try properties(), reader.frames.indices.contains(options.frame), !isDrawn(options)
        else { return nil }
        // Passes are written all over the image. The scans of a JPEG are held as coefficients instead.
        guard !properties.isProgressive || properties.format == .jpeg else { return nil }
        return try plan(options)
    }

    func indexedBytes() throws(ImageError) -> Int? {
        guard let plan = try streamPlan(.indexing), let reader = reader as? JPEGReader else { return nil }
        return try reader.indexing(plan.request, chain)
    }

    var partIndex: Data? {
        get { (reader as? JPEGReader)?.partIndex }
        set { (reader as? JPEGReader)?.partIndex = newValue }
    }
}
