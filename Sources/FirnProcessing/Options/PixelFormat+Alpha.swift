internal import FirnImage

extension PixelFormat {
    /// The corresponding layout that has alpha.
    var withAlpha: PixelFormat { self == .rgb8 ? .bgra8Premultiplied : self }
}
