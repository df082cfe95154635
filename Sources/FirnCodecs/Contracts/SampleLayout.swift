/// Layout of samples as decoders give them: colors straight, not multiplied by alpha.
enum SampleLayout: Hashable {
    case bgra8, rgba8, rgb8
    /// Ink, 255 is full; only where the file stores CMYK or YCCK.
    case cmyk8
    /// 16 bits a sample in the machine's order; only where the file stores more than 8.
    case rgba16
    /// Half floats in the machine's order; only where the file stores floats.
    case rgbaHalf

    /// Bytes of one pixel.
    var bytesPerPixel: Int {
        switch self {
        case .rgb8: 3
        case .bgra8, .rgba8, .cmyk8: 4
        case .rgba16, .rgbaHalf: 8
        }
    }
}
