internal import FirnImage

extension PixelFormat {
    /// The layout for the same images with transparent parts.
    var withAlpha: PixelFormat { self == .rgb8 ? .bgra8Premultiplied : self }
}
