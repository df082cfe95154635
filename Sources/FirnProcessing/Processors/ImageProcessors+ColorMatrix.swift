public import FirnImage

extension ImageProcessors {
    /// Makes each color of a pixel anew, of its old ones: gray, sepia, tints, brightness, contrast, saturation, hue.
    ///
    /// Works on encoded colors, as the words are commonly meant; half floats, which are linear light, are encoded for it
    /// and may go beyond 0...1. Elsewhere colors are cut there. Alpha stays.
    public struct ColorMatrix: ImageProcessing, Hashable {
        let weights: ColorWeights

        /// A matrix of one's own.
        ///
        /// - Parameters: for red, green and blue: the weights of red, green and blue, and what is added, where 1 is a full
        ///   component.
        public init(red: SIMD4<Double>, green: SIMD4<Double>, blue: SIMD4<Double>) {
            weights = ColorWeights(rows: [red, green, blue].map { [$0.x, $0.y, $0.z, $0.w] })
        }

        init(_ weights: ColorWeights) { self.weights = weights }

        /// Nothing but lightness, or part of the way there.
        public static func grayscale(_ amount: Double = 1) -> ColorMatrix {
            ColorMatrix(ColorWeights.gray.mixed(amount))
        }

        /// The brown of old photographs, or part of the way there.
        public static func sepia(_ amount: Double = 1) -> ColorMatrix { ColorMatrix(ColorWeights.sepia.mixed(amount)) }

        /// Shades of `color`, or part of the way there. Its alpha does not count.
        public static func tint(_ color: SRGBColor, _ amount: Double = 1) -> ColorMatrix {
            ColorMatrix(
                ColorWeights.tint([color.red, color.green, color.blue].map { Double($0) / 255 }).mixed(amount))
        }

        /// Adds `amount` to all colors: -1 makes everything black, 1 white.
        public static func brightness(_ amount: Double) -> ColorMatrix { ColorMatrix(.offset(amount)) }

        /// Moves all colors away from the middle gray: 0 makes everything gray, 1 changes nothing.
        public static func contrast(_ factor: Double) -> ColorMatrix { ColorMatrix(.contrast(factor)) }

        /// 0 leaves nothing but lightness, 1 changes nothing, 2 doubles colorfulness.
        public static func saturation(_ factor: Double) -> ColorMatrix {
            ColorMatrix(ColorWeights.gray.mixed(1 - factor))
        }

        /// Moves all colors around the wheel of colors.
        public static func hue(degrees: Double) -> ColorMatrix { ColorMatrix(.hue(degrees)) }

        /// The negative.
        public static var inverted: ColorMatrix { ColorMatrix(.contrast(-1)) }

        /// All twelve numbers: `firn/color?m=1/0/0/0/0/1/0/0/0/0/1/0`.
        public var identifier: String {
            "firn/color?m=" + weights.rows.joined().map { ProcessorName.number($0) }.joined(separator: "/")
        }

        /// The image in its new colors.
        ///
        /// - Throws: ``/FirnImage/ImageProcessingError`` if one of the numbers is not from -1000 to 1000; ``/FirnImage/BitmapError``;
        ///   `CancellationError`.
        public func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer { try change(container, context) }
    }
}

extension ImageProcessors.ColorMatrix: ImageProcessor {
    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        for number in weights.rows.joined() { try run.require(number, -1000...1000, "a weight") }
        if weights == .unchanged { return image }
        return try run.make(
            from: image, size: image.size, format: image.format, isOpaque: image.isOpaque
        ) { source, target in
            try ColorPass(weights).run(source, into: target, run)
        }
    }
}
