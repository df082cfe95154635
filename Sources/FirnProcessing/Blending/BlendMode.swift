internal import CFirnProcessing

extension ImageProcessingOptions {
    /// How an image laid over another one, the backdrop, is mixed with it.
    ///
    /// Source: Porter, Duff: "Compositing digital images", SIGGRAPH 1984; W3C Compositing and Blending Level 1.
    public enum BlendMode: String, Hashable, Sendable, CaseIterable {
        /// Nothing stays.
        case clear
        /// The upper image alone.
        case source
        /// The backdrop alone.
        case destination
        /// The upper image covers the backdrop.
        case sourceOver
        /// The backdrop covers the upper image.
        case destinationOver
        /// The upper image where the backdrop is.
        case sourceIn
        /// The backdrop where the upper image is.
        case destinationIn
        /// The upper image where the backdrop is not.
        case sourceOut
        /// The backdrop where the upper image is not.
        case destinationOut
        /// The upper image on the backdrop, where that is.
        case sourceAtop
        /// The backdrop on the upper image, where that is.
        case destinationAtop
        /// Each where the other one is not.
        case xor
        /// The sum of both.
        case plus
        /// The product of the colors: never lighter.
        case multiply
        /// The product of what the colors lack: never darker.
        case screen

        /// What C is told. With `cuts`, sums end at 1.
        func blend(opacity: Double, cuts: Bool) -> firn_blend {
            let (zero, one, alpha, rest) = (firn_factor_zero, firn_factor_one, firn_factor_alpha, firn_factor_rest)
            let (source, backdrop) =
                switch self {
                case .clear: (zero, zero)
                case .source: (one, zero)
                case .destination: (zero, one)
                case .sourceOver, .multiply, .screen: (one, rest)
                case .destinationOver: (rest, one)
                case .sourceIn: (alpha, zero)
                case .destinationIn: (zero, alpha)
                case .sourceOut: (rest, zero)
                case .destinationOut: (zero, rest)
                case .sourceAtop: (alpha, rest)
                case .destinationAtop: (rest, alpha)
                case .xor: (rest, rest)
                case .plus: (one, one)
                }
            let mixing: Int32 = self == .multiply ? 1 : self == .screen ? 2 : 0
            return firn_blend(
                source: source, backdrop: backdrop, mixing: mixing, cuts: cuts ? 1 : 0, opacity: Float(opacity))
        }

        /// Whether an opaque backdrop stays opaque.
        ///
        /// - Parameter isOpaque: whether the upper image is opaque.
        func keepsOpaque(under isOpaque: Bool) -> Bool {
            switch self {
            case .sourceOver, .destination, .destinationOver, .sourceAtop, .plus, .multiply, .screen: true
            case .source, .sourceIn, .destinationIn, .destinationAtop: isOpaque
            case .clear, .sourceOut, .destinationOut, .xor: false
            }
        }
    }
}
