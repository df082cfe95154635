import FirnSync

extension ImageLimits {
    /// Throws ``ImageDecodingError/Fault/limit`` if a buffer of `size` would have more bytes than a result may have.
    func admitBuffer(_ size: PixelSize, _ format: PixelFormat) throws(ImageDecodingError) {
        let row = (try? Bitmap.bytesPerRow(width: size.width, format: format)) ?? Int.max
        let bytes = row.saturatingMultiply(max(size.height, 0))
        guard bytes < Int.max, bytes <= maximumResultBytes else {
            throw ImageDecodingError(
                .limit,
                "needs \(bytes == Int.max ? "uncountable" : "\(bytes)") bytes for \(size) pixels; "
                    + "ImageLimits.maximumResultBytes allows \(maximumResultBytes)")
        }
    }
}

extension BitmapBuilder {
    /// Allocates zeroed memory for samples that are not final pixels yet.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if that exceeds the limits or the available memory.
    static func samples(
        _ size: PixelSize, _ layout: SampleLayout, _ limits: ImageLimits
    ) throws(ImageDecodingError) -> BitmapBuilder {
        let format: PixelFormat =
            switch layout {
            case .rgb8: .rgb8
            case .bgra8, .rgba8, .cmyk8: .rgba8Straight
            case .rgba16, .rgbaHalf: .rgba16Straight
            }
        try limits.admitBuffer(size, format)
        return try ImageDecodingError.asLimit { try BitmapBuilder(size: size, format: format) }
    }

    /// Allocates zeroed memory for the samples of a source: of the whole image if it needs that, otherwise of `rows`
    /// rows at most.
    static func samples(
        of source: any RowSource, _ layout: SampleLayout, rows: Int, _ limits: ImageLimits
    ) throws(ImageDecodingError) -> BitmapBuilder {
        if source.isWhole { return try samples(source.size, layout, limits) }
        return try strip(
            PixelSize(width: source.size.width, height: min(source.size.height, rows)), layout, limits)
    }

    /// Allocates zeroed memory for a few rows of samples. Its first MiB does not count toward the limit.
    static func strip(
        _ size: PixelSize, _ layout: SampleLayout, _ limits: ImageLimits
    ) throws(ImageDecodingError) -> BitmapBuilder {
        var limits = limits
        limits.maximumResultBytes = max(limits.maximumResultBytes, 1 << 20)
        return try samples(size, layout, limits)
    }
}
