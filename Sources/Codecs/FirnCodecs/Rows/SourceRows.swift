import FirnSync

/// The buffer between two row sources: a strip, or the whole image.
///
/// Rows that arrive in order pass through a strip. A source that writes all over the image, or needs the memory of all
/// of it, has its whole image here.
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

    /// - Throws: ``ImageError/Fault/limit`` if the source's whole image must be held and exceeds the limits, or
    ///   there is no memory.
    init(_ source: any RowSource, limits: ImageLimits) throws(ImageError) {
        self.source = source
        self.limits = limits
        let rows = source.layout.stripRows(of: source.size)
        pixels = try BitmapBuilder.samples(of: source, source.layout, rows: rows, limits)
    }

    /// Refills the strip with at most `rows` rows, or continues the whole image.
    ///
    /// - Returns: the progress of the source; the end if there is no memory to write to.
    func read(_ chain: ByteChain, rows: Int = .max) throws(ImageError) -> RowProgress {
        var progress = try source.read(chain, into: pixels, rows: min(rows, pixels.size.height))
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
        _ chain: ByteChain, _ show: (BitmapBuilder) throws(ImageError) -> Void
    ) throws(ImageError) -> Bool {
        if source.isWhole, !source.hasPreviews {
            guard hasUpdate else { return false }
            hasUpdate = false
            try show(pixels)
            return true
        }
        // A preview of the whole image needs a buffer for all of it, which is freed right after.
        let whole = try BitmapBuilder.samples(source.size, source.layout, limits)
        guard try source.preview(chain, into: whole) else { return false }
        try show(whole)
        return true
    }
}

extension ImageLimits {
    /// Throws ``ImageError/Fault/limit`` if a buffer of `size` would have more bytes than a result may have.
    func admitBuffer(_ size: PixelSize, _ format: PixelFormat) throws(ImageError) {
        let row = (try? Bitmap.bytesPerRow(width: size.width, format: format)) ?? Int.max
        let bytes = row.saturatingMultiply(max(size.height, 0))
        guard bytes < Int.max, bytes <= maximumResultBytes else {
            throw .limit(
                "needs \(bytes == Int.max ? "uncountable" : "\(bytes)") bytes for \(size) pixels; "
                    + "\(maximumResultBytes) are allowed", "maximumResultBytes")
        }
    }
}

extension BitmapBuilder {
    /// Allocates zeroed memory for samples that are not final pixels yet.
    ///
    /// - Throws: ``ImageError/Fault/limit`` if that exceeds the limits or the available memory.
    static func samples(
        _ size: PixelSize, _ layout: SampleLayout, _ limits: ImageLimits
    ) throws(ImageError) -> BitmapBuilder {
        // Any format with pixels of this length.
        let format = [3: PixelFormat.rgb8, 4: .rgba8Straight][layout.bytesPerPixel] ?? .rgba16Straight
        try limits.admitBuffer(size, format)
        return try BitmapBuilder(size: size, format: format)
    }

    /// Allocates zeroed memory for the samples of a source: of the whole image if it needs that, otherwise of `rows`
    /// rows at most.
    static func samples(
        of source: any RowSource, _ layout: SampleLayout, rows: Int, _ limits: ImageLimits
    ) throws(ImageError) -> BitmapBuilder {
        if source.isWhole { return try samples(source.size, layout, limits) }
        return try strip(
            PixelSize(width: source.size.width, height: min(source.size.height, rows)), layout, limits)
    }

    /// Allocates zeroed memory for a few rows of samples. Its first MiB does not count toward the limit.
    static func strip(
        _ size: PixelSize, _ layout: SampleLayout, _ limits: ImageLimits
    ) throws(ImageError) -> BitmapBuilder {
        var limits = limits
        limits.maximumResultBytes = max(limits.maximumResultBytes, 1 << 20)
        return try samples(size, layout, limits)
    }
}
