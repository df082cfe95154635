import FirnImage

/// Returns a part of the rows of another source: drops the rows above, the columns beside, and ends before the rows
/// below.
///
/// Rows that arrive in order go through a strip of some rows. A source that writes all over the image, or that needs
/// the memory of all of it, keeps its whole image here.
///
/// Invariant: rows `0..<passed` of the source have been read; rows `0..<next` of the part have been returned.
final class AreaRowSource: RowSource {
    var size: PixelSize { area.size }
    var layout: SampleLayout { source.layout }
    var isWhole: Bool { false }
    var hasPreviews: Bool { source.isWhole || source.hasPreviews }
    var bytesNeeded: Int? { source.bytesNeeded }

    private let source: any RowSource
    private let area: PixelArea
    private let limits: ImageLimits
    /// A strip, or the whole image.
    private let pixels: BitmapBuilder
    private var passed = 0
    private var next = 0
    private var hasEnded = false
    /// Whether the whole image has changed since the last preview.
    private var hasUpdate = false

    /// - Parameter area: the part, in the source's rows.
    /// - Throws: ``ImageDecodingError/Fault/data`` if the source does not cover the part;
    ///   ``ImageDecodingError/Fault/limit`` if the source's whole image must be held and exceeds the limits, or there
    ///   is no memory.
    init(_ source: any RowSource, _ area: PixelArea, limits: ImageLimits) throws(ImageDecodingError) {
        guard !area.isEmpty, area.x >= 0, area.y >= 0, area.x <= source.size.width - area.size.width,
            area.y <= source.size.height - area.size.height
        else { throw ImageDecodingError(.data, "has \(source.size) pixels, which do not hold the part \(area)") }
        self.source = source
        self.area = area
        self.limits = limits
        if source.isWhole {
            pixels = try BitmapBuilder.samples(source.size, source.layout, limits)
        } else {
            let rows = ReducedSource.stripRows(of: source.size, layout: source.layout)
            pixels = try BitmapBuilder.strip(
                PixelSize(width: source.size.width, height: rows), source.layout, limits)
        }
    }

    /// Returns the bytes that a source of rows of `size` holds here.
    ///
    /// - Parameter isWhole: whether it keeps its whole image.
    static func workingBytes(rows size: PixelSize, _ layout: SampleLayout, isWhole: Bool) -> Int {
        let rows = isWhole ? size.height : ReducedSource.stripRows(of: size, layout: layout)
        let (pixels, overflow) = max(0, size.width).multipliedReportingOverflow(by: max(0, rows))
        let (bytes, overflow2) = pixels.multipliedReportingOverflow(by: layout.bytesPerPixel)
        return overflow || overflow2 ? Int.max / 8 : min(bytes, Int.max / 8)
    }

    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int
    ) throws(ImageDecodingError) -> RowProgress {
        guard next < size.height else { return RowProgress(rows: 0, state: .end) }
        let progress = try source.isWhole ? readWhole(chain) : readStrip(chain, rows: rows)
        let made =
            pixels.withPixels { pixels in
                // In a strip, the rows read by this call begin at its first one.
                let first = source.isWhole ? 0 : passed - progress.rows
                let end = min(passed, area.y + size.height, area.y + next + rows)
                var made = 0
                while area.y + next < end {
                    copy(pixels, row: area.y + next - first, to: base + made * bytesPerRow)
                    next += 1
                    made += 1
                }
                return made
            } ?? 0
        if next == size.height { return RowProgress(rows: made, state: .end) }
        if hasEnded, passed <= area.y + next {
            throw ImageDecodingError(.data, "ends after row \(passed) of \(source.size.height)")
        }
        return RowProgress(rows: made, state: progress.state == .end ? .more : progress.state)
    }

    func preview(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) throws(ImageDecodingError) -> Bool {
        if source.isWhole, !source.hasPreviews {
            guard hasUpdate else { return false }
            hasUpdate = false
            copyArea(of: pixels, to: base, bytesPerRow: bytesPerRow)
            return true
        }
        // A preview of the whole image needs a buffer for all of it, which is freed right after.
        let whole = try BitmapBuilder.samples(source.size, source.layout, limits)
        let shown = try whole.decode { pixels throws(ImageDecodingError) in
            try source.preview(chain, into: pixels.base, bytesPerRow: pixels.bytesPerRow)
        }
        guard shown == true else { return false }
        copyArea(of: whole, to: base, bytesPerRow: bytesPerRow)
        return true
    }

    /// Refills the strip: with rows above the part, or with at most `rows` rows of it.
    private func readStrip(_ chain: ByteChain, rows: Int) throws(ImageDecodingError) -> RowProgress {
        let wanted = passed < area.y ? area.y - passed : min(rows, size.height - next)
        let result = try pixels.decode { pixels throws(ImageDecodingError) in
            try source.read(
                chain, into: pixels.base, bytesPerRow: pixels.bytesPerRow, rows: min(wanted, pixels.size.height))
        }
        guard var progress = result else { return RowProgress(rows: 0, state: .end) }
        progress.rows = min(progress.rows, wanted, pixels.size.height)
        passed += progress.rows
        hasEnded = progress.state == .end
        return progress
    }

    /// Continues the whole image, unless the next row is complete.
    private func readWhole(_ chain: ByteChain) throws(ImageDecodingError) -> RowProgress {
        guard !hasEnded, passed <= area.y + next else { return RowProgress(rows: 0, state: .more) }
        let result = try pixels.decode { pixels throws(ImageDecodingError) in
            try source.read(chain, into: pixels.base, bytesPerRow: pixels.bytesPerRow, rows: pixels.size.height)
        }
        guard let progress = result else { return RowProgress(rows: 0, state: .end) }
        hasUpdate = true
        hasEnded = progress.state == .end
        passed = hasEnded ? source.size.height : max(passed, min(progress.rows, source.size.height))
        return progress
    }

    private func copyArea(of whole: BitmapBuilder, to base: UnsafeMutableRawPointer, bytesPerRow: Int) {
        whole.withPixels { pixels in
            for row in 0..<size.height { copy(pixels, row: area.y + row, to: base + row * bytesPerRow) }
        }
    }

    /// Copies the part's columns of one row.
    private func copy(_ pixels: borrowing MutablePixels, row: Int, to target: UnsafeMutableRawPointer) {
        let pixelBytes = layout.bytesPerPixel
        target.copyMemory(from: pixels.row(row) + area.x * pixelBytes, byteCount: size.width * pixelBytes)
    }
}
