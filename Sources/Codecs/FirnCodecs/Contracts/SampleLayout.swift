/// The layout of samples as decoders return them: colors are straight, not multiplied by alpha.
enum SampleLayout: Hashable {
    case bgra8, rgba8, rgb8
    /// Amounts of ink, 255 is full; only if the file stores CMYK or YCCK.
    case cmyk8
    /// 16 bits per sample in the machine's byte order; only if the file stores more than 8.
    case rgba16
    /// Half floats in the machine's byte order; only if the file stores floats.
    case rgbaHalf

    /// The bytes of one pixel.
    var bytesPerPixel: Int {
        switch self {
        case .rgb8: 3
        case .bgra8, .rgba8, .cmyk8: 4
        case .rgba16, .rgbaHalf: 8
        }
    }
}
