import CFirnCodecs
import FirnImage

/// What is done to the colours of one picture, decided once before its first row.
enum ColorPlan {
    /// Nothing.
    case none
    /// Pixels are transformed where they are.
    case inPlace(ColorTransform)
    /// Inks are decoded apart and transformed into pixels.
    case inks(ColorTransform)

    /// Decides for pixels stored as `space` says.
    ///
    /// A profile of another kind than the pixels is ignored, as all decoders do; grey pixels may have an RGB profile.
    init(profile: ColorProfile?, space: String, layout: SampleLayout, cache: ColorTransformCache = .shared) {
        self = .none
        guard let profile else { return }
        let fits: Bool
        switch space {
        case "gray": fits = profile.model == .gray || profile.model == .rgb
        case "cmyk", "ycck": fits = profile.model == .cmyk
        default: fits = profile.model == .rgb
        }
        guard fits, let transform = cache.transform(profile, layout: layout.library) else { return }
        self = profile.model == .cmyk ? .inks(transform) : .inPlace(transform)
    }

    /// The layout to decode to, where it is not that of the picture.
    var decodedLayout: SampleLayout? {
        if case .inks = self { .cmyk8 } else { nil }
    }
}

extension SampleLayout {
    /// The layout in the C interface's terms.
    var library: firn_layout {
        switch self {
        case .bgra8: FIRN_LAYOUT_BGRA
        case .rgba8: FIRN_LAYOUT_RGBA
        case .rgb8: FIRN_LAYOUT_RGB
        case .cmyk8: FIRN_LAYOUT_CMYK
        case .rgba16: FIRN_LAYOUT_RGBA16
        case .rgbaHalf: FIRN_LAYOUT_RGBA_HALF
        }
    }
}
