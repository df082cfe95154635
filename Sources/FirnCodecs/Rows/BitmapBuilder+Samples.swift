import FirnImage

extension BitmapBuilder {
    /// Zeroed memory for samples that are not an image's yet.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` where that is more than allowed, or than there is.
    static func samples(
        _ size: PixelSize, _ layout: SampleLayout, _ limits: ImageLimits
    ) throws(ImageDecodingError) -> BitmapBuilder {
        let format: PixelFormat =
            switch layout {
            case .rgb8: .rgb8
            case .bgra8, .rgba8, .cmyk8: .rgba8Straight
            case .rgba16, .rgbaHalf: .rgba16Straight
            }
        let row = (try? Bitmap.bytesPerRow(width: size.width, format: format)) ?? Int.max
        let (bytes, overflow) = row.multipliedReportingOverflow(by: max(size.height, 0))
        guard !overflow, bytes <= limits.maximumDecodedBytes else {
            throw ImageDecodingError(
                .limit,
                "needs \(overflow ? "uncountable" : "\(bytes)") bytes for \(size) pixels; "
                    + "the limit is \(limits.maximumDecodedBytes)")
        }
        do throws(BitmapError) {
            return try BitmapBuilder(size: size, format: format)
        } catch {
            throw ImageDecodingError(.limit, "\(error)")
        }
    }

    /// Zeroed memory for a few rows of samples, of which the first MiB counts for nothing.
    static func strip(
        _ size: PixelSize, _ layout: SampleLayout, _ limits: ImageLimits
    ) throws(ImageDecodingError) -> BitmapBuilder {
        var limits = limits
        limits.maximumDecodedBytes = max(limits.maximumDecodedBytes, 1 << 20)
        return try samples(size, layout, limits)
    }

    /// Lets `body` write into the buffer.
    ///
    /// - Returns: what `body` returns; `nil` where the buffer was handed out before.
    func decode<Result>(
        _ body: (inout MutablePixels) throws(ImageDecodingError) -> Result
    ) throws(ImageDecodingError) -> Result? {
        // The buffer's own method throws anything, so errors go through as values.
        let result = withPixels { pixels -> Swift.Result<Result, ImageDecodingError> in
            do throws(ImageDecodingError) {
                return .success(try body(&pixels))
            } catch {
                return .failure(error)
            }
        }
        return try result?.get()
    }
}
