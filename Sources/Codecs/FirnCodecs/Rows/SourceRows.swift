import FirnImage

/// The rows of a source on their way to another source: a strip of some rows, or the whole image.
///
/// Rows that arrive in order go through a strip. A source that writes all over the image, or that needs the memory of
/// all of it, keeps its whole image here.
final class SourceRows {
    let source: any RowSource
    /// A strip, or the whole image.
    let pixels: BitmapBuilder
    private let limits: ImageLimits
    /// True if the source has no further rows.
    private(set) var hasEnded = false
    /// True if the whole image has changed since the last preview.
    private var hasUpdate = false

    var hasPreviews: Bool { source.isWhole || source.hasPreviews }

    /// - Throws: ``ImageDecodingError/Fault/limit`` if the source's whole image must be held and exceeds the limits, or
    ///   there is no memory.
    init(_ source: any RowSource, limits: ImageLimits) throws(ImageDecodingError) {
        self.source = source
        self.limits = limits
        let rows = SourceRows.stripRows(of: source.size, layout: source.layout)
        pixels = try BitmapBuilder.samples(of: source, source.layout, rows: rows, limits)
    }

    /// The most bytes of a strip of several rows.
    private static let stripBytes = 8 << 20
    /// The least bytes of a strip, if the image has as many: then a call costs little beside its rows, even if each of
    /// them has a single pixel.
    private static let minimumStripBytes = 32 << 10

    /// Returns the number of rows of `size` pixels in a strip: few enough to stay in the CPU cache, and at least 8
    /// unless they are very long.
    static func stripRows(of size: PixelSize, layout: SampleLayout) -> Int {
        guard let row = rowBytes(width: size.width, layout) else { return 1 }
        return max(1, min(size.height, max(8, min(usualRows(row), (1 << 20) / row)), stripBytes / row))
    }

    /// Returns the number of rows of `width` pixels in a strip that stays in the CPU cache: even, and at least 2.
    static func evenRows(width: Int, _ layout: SampleLayout) -> Int {
        guard let row = rowBytes(width: width, layout) else { return 2 }
        return max(2, min(usualRows(row), (1 << 20) / row) / 2 * 2)
    }

    /// Returns the number of rows of `width` pixels that are decoded at once into the image: at most 8 MiB unless one
    /// row is longer.
    static func rowsAtOnce(width: Int, _ layout: SampleLayout) -> Int {
        guard let row = rowBytes(width: width, layout) else { return 1 }
        return max(1, min(usualRows(row), stripBytes / row))
    }

    /// Returns 64 rows, or as many short ones as make the least bytes of a strip.
    private static func usualRows(_ row: Int) -> Int { max(64, minimumStripBytes / row) }

    /// Returns the bytes of a row in memory, its padding included; `nil` if they overflow.
    static func rowBytes(width: Int, _ layout: SampleLayout) -> Int? {
        let (bytes, overflow) = max(1, width).multipliedReportingOverflow(by: layout.bytesPerPixel)
        let (padded, overflow2) = bytes.addingReportingOverflow(Bitmap.rowAlignment - 1)
        return overflow || overflow2 ? nil : padded / Bitmap.rowAlignment * Bitmap.rowAlignment
    }

    /// Refills the strip with at most `rows` rows, or continues the whole image.
    ///
    /// - Returns: the progress of the source; the end if there is no memory to write to.
    func read(_ chain: ByteChain, rows: Int = .max) throws(ImageDecodingError) -> RowProgress {
        var progress =
            try pixels.withPixels { pixels throws(ImageDecodingError) in
                try source.read(chain, into: source.memory(pixels, rows: min(rows, pixels.size.height)))
            } ?? RowProgress(rows: 0, state: .end)
        hasEnded = progress.state == .end
        if source.isWhole {
            hasUpdate = true
        } else {
            progress.rows = min(progress.rows, rows, pixels.size.height)
        }
        return progress
    }

    /// Passes the latest preview of the whole image to `show`.
    ///
    /// - Returns: false if there is no new one.
    func preview(
        _ chain: ByteChain, _ show: (BitmapBuilder) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) -> Bool {
        if source.isWhole, !source.hasPreviews {
            guard hasUpdate else { return false }
            hasUpdate = false
            try show(pixels)
            return true
        }
        // A preview of the whole image needs a buffer for all of it, which is freed right after.
        let whole = try BitmapBuilder.samples(source.size, source.layout, limits)
        let shown = try whole.withPixels { pixels throws(ImageDecodingError) in
            try source.preview(chain, into: source.memory(pixels))
        }
        guard shown == true else { return false }
        try show(whole)
        return true
    }
}
