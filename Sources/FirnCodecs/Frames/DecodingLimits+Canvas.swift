import FirnImage

extension DecodingLimits {
    /// Judges a declared size before anything is allocated for it.
    ///
    /// - Throws: ``DecodingError/Fault/data`` if it is empty, ``DecodingError/Fault/limit`` if it has too many pixels.
    func check(_ size: PixelSize) throws(DecodingError) {
        if size.isEmpty { throw DecodingError(.data, "declares an empty image") }
        guard size.area <= maximumPixels else {
            throw DecodingError(.limit, "declares \(size) pixels; the limit is \(maximumPixels)")
        }
    }
}
