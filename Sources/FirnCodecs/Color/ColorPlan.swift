import CFirnCodecs
import FirnImage

/// What is done to the samples of one image, decided once before its first row.
///
/// Invariant: where nothing is done, or something is done in place, `decoded` and `given` are equal.
struct ColorPlan {
    /// What brings decoded samples to the image's.
    enum Step {
        /// Nothing: they are the same.
        case none
        /// A conversion of colors, in place where layouts are equal.
        case transform(ColorTransform)
        /// Bytes become words.
        case widen
    }

    /// What is asked of the decoder.
    let decoded: SampleLayout
    /// The image's samples before they are multiplied by alpha.
    let given: SampleLayout
    /// What is done between the two.
    let step: Step

    /// Decides for an image that is wanted as `format`.
    ///
    /// - Parameter converts: whether colors are brought to sRGB; if not, half floats take stored values for sRGB's,
    ///   and inks the plain way that decoders have for them.
    init(
        _ properties: ImageProperties, format: PixelFormat, converts: Bool, cache: ColorTransformCache = .shared
    ) {
        let given = SampleLayout(of: format)
        let source = converts ? ColorSource(properties) : nil
        let isInk = properties.colorSpace == "cmyk" || properties.colorSpace == "ycck"
        let stored: SampleLayout = properties.bitDepth > 8 && !isInk ? .rgba16 : .rgba8
        // Inks are decoded as such only where a profile tells what they look like. The curves of high dynamic range
        // want all bits there are.
        let special: SampleLayout? =
            switch source {
            case .profile(let profile) where profile.model == .cmyk: .cmyk8
            case .description(let description) where description.isHighDynamicRange: stored
            default: nil
            }
        let isWide = format.isWide
        for layout in [special, isWide ? stored : given].compactMap({ $0 }) {
            guard let source, let transform = cache.transform(source, from: layout, to: given) else { continue }
            self.init(decoded: layout, given: given, step: .transform(transform))
            return
        }
        // Nothing is known of the colors, or nothing usable, or they are sRGB's.
        if given == .rgbaHalf, let light = cache.transform(.description(ColorDescription()), from: stored, to: given) {
            self.init(decoded: stored, given: given, step: .transform(light))
        } else if given == .rgba16, stored == .rgba8 {
            self.init(decoded: stored, given: given, step: .widen)
        } else {
            self.init(decoded: given, given: given, step: .none)
        }
    }

    private init(decoded: SampleLayout, given: SampleLayout, step: Step) {
        self.decoded = decoded
        self.given = given
        self.step = step
    }

    /// Whether samples are decoded to memory of their own, from which the image's are made.
    var needsStrip: Bool { decoded != given }
}

extension SampleLayout {
    /// The samples of a pixel format before they are multiplied by alpha.
    init(of format: PixelFormat) {
        self =
            switch format {
            case .bgra8Premultiplied: .bgra8
            case .rgba8Straight: .rgba8
            case .rgb8: .rgb8
            case .rgba16Straight: .rgba16
            case .rgbaHalfPremultiplied: .rgbaHalf
            }
    }

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
