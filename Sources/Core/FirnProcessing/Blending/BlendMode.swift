internal import CFirnProcessing

extension ImageProcessingOptions {
    /// The blend mode of an upper image and the image under it, the backdrop.
    ///
    /// Source: Porter, Duff: "Compositing digital images", SIGGRAPH 1984; W3C Compositing and Blending Level 1.
    package enum BlendMode: String, Hashable, Sendable, CaseIterable {
        /// Leaves nothing: the result is transparent.
        case clear
        /// Shows only the upper image.
        case source
        /// Shows only the backdrop.
        case destination
        /// Draws the upper image over the backdrop.
        case sourceOver
        /// Draws the backdrop over the upper image.
        case destinationOver
        /// Shows the upper image only where the backdrop is.
        case sourceIn
        /// Shows the backdrop only where the upper image is.
        case destinationIn
        /// Shows the upper image only where the backdrop is not.
        case sourceOut
        /// Shows the backdrop only where the upper image is not.
        case destinationOut
        /// Draws the upper image over the backdrop, only where the backdrop is.
        case sourceAtop
        /// Draws the backdrop over the upper image, only where the upper image is.
        case destinationAtop
        /// Shows each image only where the other is not.
        case xor
        /// Adds both images.
        case plus
        /// Multiplies the colors. The result is never lighter.
        case multiply
        /// Multiplies the complements of the colors. The result is never darker.
        case screen

        /// The parameters of the C kernel. If `cuts` is set, sums are clamped to 1.
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

        /// Returns whether an opaque backdrop stays opaque.
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
