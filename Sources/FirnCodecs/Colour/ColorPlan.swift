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
    init(profile: ColorProfile?, space: firn_space, layout: firn_layout, cache: ColorTransformCache = .shared) {
        self = .none
        guard let profile else { return }
        let fits: Bool
        switch space {
        case FIRN_SPACE_GRAY: fits = profile.model == .gray || profile.model == .rgb
        case FIRN_SPACE_CMYK, FIRN_SPACE_YCCK: fits = profile.model == .cmyk
        default: fits = profile.model == .rgb
        }
        guard fits, let transform = cache.transform(profile, layout: layout) else { return }
        self = profile.model == .cmyk ? .inks(transform) : .inPlace(transform)
    }

    /// The layout to decode to, where it is not that of the picture.
    var decodedLayout: firn_layout? {
        if case .inks = self { FIRN_LAYOUT_CMYK } else { nil }
    }
}
