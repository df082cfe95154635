import FirnImage

/// The rows of another source, averaged to fewer and shorter ones as they come.
///
/// What comes is straight and has its own colors still: colors are converted, and multiplied by alpha, after this,
/// because color management of all stored pixels of a large image costs more than its decoding. The average of
/// converted colors differs from the converted average by no more than averages in another encoding do.
///
/// A source that gives rows in order goes through a strip of some rows; one that is written all over keeps its whole
/// image here and is reduced when it is complete.
///
/// Invariant: rows `taken..<filled` of `pixels` have come and are not averaged yet.
final class ReducedSource: RowSource {
    let size: PixelSize
    var layout: SampleLayout { source.layout }
    var isWhole: Bool { false }
    var hasPreviews: Bool { source.isWhole || source.hasPreviews }
    var bytesNeeded: Int? { source.bytesNeeded }

    private let source: any RowSource
    private let isOpaque: Bool
    private let limits: ImageLimits
    private let reducer: AreaReducer
    /// A strip, or the whole image.
    private let pixels: BitmapBuilder
    private var taken = 0
    private var filled = 0
    private var hasEnded = false
    /// Whether the whole image has changed since it was shown.
    private var hasNews = false

    /// - Parameter size: no side longer than the source's.
    /// - Throws: ``ImageDecodingError/Fault/limit`` where the source's image must be kept and is larger than allowed, or
    ///   there is no memory.
    init(_ source: any RowSource, size: PixelSize, isOpaque: Bool, limits: ImageLimits) throws(ImageDecodingError) {
        self.source = source
        self.size = size
        self.isOpaque = isOpaque
        self.limits = limits
        reducer = try AreaReducer(from: source.size, to: size, layout: source.layout, isOpaque: isOpaque)
        if source.isWhole {
            pixels = try BitmapBuilder.samples(source.size, source.layout, limits)
        } else {
            let rows = ReducedSource.stripRows(of: source.size, layout: source.layout)
            pixels = try BitmapBuilder.strip(
                PixelSize(width: source.size.width, height: rows), source.layout, limits)
        }
    }

    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int
    ) throws(ImageDecodingError) -> RowProgress {
        var made = average(into: base, bytesPerRow: bytesPerRow, rows: rows)
        if made >= rows || (hasEnded && taken == filled) {
            return RowProgress(rows: made, state: hasEnded && taken == filled ? .end : .more)
        }
        let progress = try source.isWhole ? readWhole(chain) : readStrip(chain)
        hasEnded = progress.state == .end
        if made < rows {
            made += average(into: base + made * bytesPerRow, bytesPerRow: bytesPerRow, rows: rows - made)
        }
        switch progress.state {
        case .end: return RowProgress(rows: made, state: taken == filled ? .end : .more)
        case .needsBytes: return RowProgress(rows: made, state: taken == filled ? .needsBytes : .more)
        case .more: return RowProgress(rows: made, state: .more)
        }
    }

    func preview(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) throws(ImageDecodingError) -> Bool {
        if source.isWhole, !source.hasPreviews {
            guard hasNews else { return false }
            hasNews = false
            return try reduce(pixels, into: base, bytesPerRow: bytesPerRow)
        }
        // An image that is shown as a whole has to be held as a whole; the memory is given back at once.
        let whole = try BitmapBuilder.samples(source.size, source.layout, limits)
        let shown = try whole.decode { pixels throws(ImageDecodingError) in
            try source.preview(chain, into: pixels.base, bytesPerRow: pixels.bytesPerRow)
        }
        guard shown == true else { return false }
        return try reduce(whole, into: base, bytesPerRow: bytesPerRow)
    }

    /// Most bytes of a strip of several rows.
    private static let stripBytes = 8 << 20

    /// Rows of `size` pixels that are taken at once: few enough to stay in the processor's cache, and 8 at least unless
    /// they are very long.
    static func stripRows(of size: PixelSize, layout: SampleLayout) -> Int {
        let (row, overflow) = max(1, size.width).multipliedReportingOverflow(by: layout.bytesPerPixel)
        if overflow { return 1 }
        return max(1, min(size.height, max(8, min(64, (1 << 20) / row)), stripBytes / row))
    }

    /// Averages rows that have come, to at most `rows` new ones; says how many were made.
    private func average(into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int) -> Int {
        pixels.withPixels { pixels in
            var made = 0
            while taken < filled, made < rows {
                // Order: as many as there is room for, if each of them made a row.
                let count = min(filled - taken, rows - made)
                made += reducer.add(
                    pixels.row(taken), bytesPerRow: pixels.bytesPerRow, count: count,
                    into: base + made * bytesPerRow, bytesPerRow: bytesPerRow)
                taken += count
            }
            return made
        } ?? 0
    }

    /// Fills the strip, all of whose rows have been averaged.
    private func readStrip(_ chain: ByteChain) throws(ImageDecodingError) -> RowProgress {
        guard taken == filled else { return RowProgress(rows: 0, state: .more) }
        let result = try pixels.decode { pixels throws(ImageDecodingError) in
            try source.read(chain, into: pixels.base, bytesPerRow: pixels.bytesPerRow, rows: pixels.size.height)
        }
        guard let progress = result else { return RowProgress(rows: 0, state: .end) }
        taken = 0
        filled = min(progress.rows, pixels.size.height)
        return progress
    }

    /// Goes on with the whole image; its rows count as come when all are there.
    private func readWhole(_ chain: ByteChain) throws(ImageDecodingError) -> RowProgress {
        let result = try pixels.decode { pixels throws(ImageDecodingError) in
            try source.read(chain, into: pixels.base, bytesPerRow: pixels.bytesPerRow, rows: pixels.size.height)
        }
        guard let progress = result else { return RowProgress(rows: 0, state: .end) }
        hasNews = true
        if progress.state == .end { filled = pixels.size.height }
        return progress
    }

    /// Averages a whole image by a reducer of its own.
    private func reduce(
        _ whole: BitmapBuilder, into base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) throws(ImageDecodingError) -> Bool {
        let other = try AreaReducer(from: source.size, to: size, layout: layout, isOpaque: isOpaque)
        whole.withPixels { pixels in
            _ = other.add(
                pixels.base, bytesPerRow: pixels.bytesPerRow, count: pixels.size.height, into: base,
                bytesPerRow: bytesPerRow)
        }
        return true
    }
}
