import FirnImage

extension ImageLimits {
    /// Checks a declared size before any allocation for it.
    ///
    /// - Throws: ``ImageDecodingError/Fault/data`` if it is empty, ``ImageDecodingError/Fault/limit`` if it has too
    ///   many pixels.
    func check(_ size: PixelSize) throws(ImageDecodingError) {
        if size.isEmpty { throw ImageDecodingError(.data, "declares an empty image") }
        guard size.area <= maximumPixels else {
            throw ImageDecodingError(
                .limit, "declares \(size) pixels; ImageLimits.maximumPixels allows \(maximumPixels)")
        }
    }
}
