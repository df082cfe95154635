import FirnImage

/// Makes a picture of the rows of one source: colours, premultiplication, memory; as far as the rows have come.
final class PictureBuilder {
    private static let rowsAtOnce = 64

    private let source: any RowSource
    private let plan: DecodePlan
    private var pixels: BitmapBuilder
    private var finisher: RowFinisher
    /// Rows from the top whose pixels are final.
    private var finished = 0
    private(set) var isComplete = false
    /// What the last preview showed.
    private var rowsShown = 0

    /// - Throws: ``DecodingError/Fault/limit`` if the picture needs more memory than allowed or there is.
    init(_ source: any RowSource, _ plan: DecodePlan, limits: DecodingLimits) throws(DecodingError) {
        self.source = source
        self.plan = plan
        try plan.checkBytes(source.size, limits)
        do throws(BitmapError) {
            pixels = try BitmapBuilder(size: source.size, format: plan.options.pixelFormat)
        } catch {
            throw DecodingError(.limit, "\(error)")
        }
        finisher = RowFinisher(plan: plan.colors, hasAlpha: plan.frame.hasAlpha)
    }

    /// How many first bytes of the file the complete picture had need of.
    var bytesNeeded: Int? { source.bytesNeeded }

    /// Takes rows as far as the bytes go.
    ///
    /// - Returns: whether the picture is complete.
    func advance(_ chain: ByteChain, _ watch: DecodingWatch) throws(DecodingError) -> Bool {
        while !isComplete {
            try watch.check()
            let progress = try takeRows(chain)
            switch progress.state {
            case .more: continue
            case .needsBytes: return false
            case .end: isComplete = true
            }
        }
        return true
    }

    /// The picture; the builder has none afterwards.
    func finish() throws(DecodingError) -> Bitmap {
        guard let bitmap = pixels.finish(isOpaque: finisher.isOpaque) else {
            throw DecodingError(.unsupported, "a picture is taken once")
        }
        return bitmap
    }

    /// A picture of what has come.
    ///
    /// - Parameter always: also where an earlier call showed as much.
    /// - Returns: `nil` if there is nothing (new).
    func partial(_ chain: ByteChain, always: Bool) throws(DecodingError) -> Bitmap? {
        do {
            if source.hasPreviews, finished == 0 {
                let copy = try BitmapBuilder(size: pixels.size, format: pixels.format)
                guard try show(chain, in: copy) else { return nil }
                return copy.finish(isOpaque: !plan.frame.hasAlpha)
            }
            guard always || finished > rowsShown || (source.isWhole && !isComplete) else { return nil }
            guard finished > 0 || source.isWhole else { return nil }
            rowsShown = finished
            let copy = try pixels.copy()
            var rest = finisher
            if source.isWhole {
                copy.withPixels { rest.finish(&$0, rows: finished..<$0.size.height) }
            }
            let isOpaque = isComplete && rest.isOpaque
            return copy.finish(isOpaque: isOpaque)
        } catch let error as DecodingError {
            throw error
        } catch {
            throw DecodingError(.limit, "\(error)")
        }
    }

    /// Lets the source show what it has.
    private func show(_ chain: ByteChain, in copy: BitmapBuilder) throws -> Bool {
        var all = RowFinisher(plan: plan.colors, hasAlpha: plan.frame.hasAlpha)
        return try copy.withPixels { pixels in
            if case .inks(let transform) = plan.colors {
                var inks = [UInt8](repeating: 0, count: pixels.size.width * 4 * pixels.size.height)
                let block = PixelBlock(pixels, rows: 0..<pixels.size.height)
                return try inks.withUnsafeMutableBytes { bytes in
                    guard let base = bytes.baseAddress else { return false }
                    guard try source.preview(chain, into: base, bytesPerRow: pixels.size.width * 4) else {
                        return false
                    }
                    transform.apply(inks: base.assumingMemoryBound(to: UInt8.self), to: block)
                    return true
                }
            }
            guard try source.preview(chain, into: pixels.base, bytesPerRow: pixels.bytesPerRow) else { return false }
            all.finish(&pixels, rows: 0..<pixels.size.height)
            return true
        } ?? false
    }

    private func takeRows(_ chain: ByteChain) throws(DecodingError) -> RowProgress {
        do {
            let progress = try pixels.withPixels { pixels in
                if case .inks(let transform) = plan.colors { return try takeInks(chain, &pixels, transform) }
                return source.isWhole ? try takeWhole(chain, &pixels) : try takeNext(chain, &pixels)
            }
            return progress ?? RowProgress(rows: 0, state: .end)
        } catch let error as DecodingError {
            throw error
        } catch {
            throw DecodingError(.limit, "\(error)")
        }
    }

    /// Rows in order, straight to where they belong.
    private func takeNext(_ chain: ByteChain, _ pixels: inout MutablePixels) throws(DecodingError) -> RowProgress {
        let rows = min(PictureBuilder.rowsAtOnce, pixels.size.height - finished)
        guard rows > 0 else { return RowProgress(rows: 0, state: .end) }
        let progress = try source.read(
            chain, into: pixels.row(finished), bytesPerRow: pixels.bytesPerRow, rows: rows)
        let end = finished + min(progress.rows, rows)
        finisher.finish(&pixels, rows: finished..<end)
        finished = end
        return progress
    }

    /// Rows of passes, all over the picture.
    private func takeWhole(_ chain: ByteChain, _ pixels: inout MutablePixels) throws(DecodingError) -> RowProgress {
        let progress = try source.read(
            chain, into: pixels.base, bytesPerRow: pixels.bytesPerRow, rows: pixels.size.height)
        // Order: a row is finished in place once no pass will touch it again.
        let end = max(finished, min(progress.rows, pixels.size.height))
        finisher.finish(&pixels, rows: finished..<end)
        finished = end
        return progress
    }

    /// Inks, into a strip of their own and from there into pixels.
    private func takeInks(
        _ chain: ByteChain, _ pixels: inout MutablePixels, _ transform: ColorTransform
    ) throws -> RowProgress {
        let width = pixels.size.width
        let rows = min(PictureBuilder.rowsAtOnce, pixels.size.height - finished)
        guard rows > 0 else { return RowProgress(rows: 0, state: .end) }
        var block = PixelBlock(pixels, rows: finished..<finished + rows)
        // Width times 4 was counted when the picture's rows were allocated.
        var inks = [UInt8](repeating: 0, count: width * 4 * rows)
        let progress = try inks.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return RowProgress(rows: 0, state: .end) }
            let progress = try source.read(chain, into: base, bytesPerRow: width * 4, rows: rows)
            block.rows = UInt32(clamping: min(progress.rows, rows))
            transform.apply(inks: base.assumingMemoryBound(to: UInt8.self), to: block)
            return progress
        }
        finished += min(progress.rows, rows)
        return progress
    }
}
