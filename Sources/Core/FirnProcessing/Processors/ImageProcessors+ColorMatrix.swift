package import FirnImage

extension ImageProcessors {
    /// Applies a color matrix: gray, sepia, tints, brightness, contrast, saturation, hue.
    ///
    /// Works on encoded colors, which is what these effects commonly mean. Half floats, which are linear light, are
    /// encoded for it and may exceed 0...1; all other colors are clamped to 0...1. Alpha stays.
    package struct ColorMatrix: ImageProcessing, Hashable {
        let weights: ColorWeights

        /// Creates a processor that applies your own matrix.
        ///
        /// - Parameters: red, green, blue: each the weights of the old red, green and blue, and an offset, where 1 is a
        ///   full component.
        package init(red: SIMD4<Double>, green: SIMD4<Double>, blue: SIMD4<Double>) {
            weights = ColorWeights(rows: [red, green, blue].map { [$0.x, $0.y, $0.z, $0.w] })
        }

        init(_ weights: ColorWeights) { self.weights = weights }

        /// Removes color and keeps lightness. `amount` interpolates from no change (0) to gray (1).
        package static func grayscale(_ amount: Double = 1) -> ColorMatrix {
            ColorMatrix(ColorWeights.gray.mixed(amount))
        }

        /// Applies a sepia tone. `amount` interpolates from no change (0) to full sepia (1).
        package static func sepia(_ amount: Double = 1) -> ColorMatrix { ColorMatrix(ColorWeights.sepia.mixed(amount)) }

        /// Shows the image in shades of `color`, whose alpha is ignored. `amount` interpolates from no change (0) to a
        /// full tint (1).
        package static func tint(_ color: SRGBColor, _ amount: Double = 1) -> ColorMatrix {
            ColorMatrix(
                ColorWeights.tint([color.red, color.green, color.blue].map { Double($0) / 255 }).mixed(amount))
        }

        /// Adds `amount` to all components: -1 makes everything black, 1 white.
        package static func brightness(_ amount: Double) -> ColorMatrix { ColorMatrix(.offset(amount)) }

        /// Scales the distance of all colors from middle gray: 0 makes everything gray, 1 changes nothing.
        package static func contrast(_ factor: Double) -> ColorMatrix { ColorMatrix(.contrast(factor)) }

        /// Scales the saturation: 0 keeps only lightness, 1 changes nothing, 2 doubles colorfulness.
        package static func saturation(_ factor: Double) -> ColorMatrix {
            ColorMatrix(ColorWeights.gray.mixed(1 - factor))
        }

        /// Rotates the hue of all colors.
        package static func hue(degrees: Double) -> ColorMatrix { ColorMatrix(.hue(degrees)) }

        /// Inverts all colors.
        package static var inverted: ColorMatrix { ColorMatrix(.contrast(-1)) }

        /// The identifier with all twelve numbers: `firn/color?m=1/0/0/0/0/1/0/0/0/0/1/0`.
        package var identifier: String {
            "firn/color?m=" + weights.rows.joined().map { ProcessorName.number($0) }.joined(separator: "/")
        }
    }
}

extension ImageProcessors.ColorMatrix: ImageProcessor {
    /// Returns the image in its new colors.
    ///
    /// - Throws: ``/FirnImage/ImageProcessingError`` if a number is not from -1000 to 1000;
    ///   ``/FirnImage/BitmapError``; `CancellationError`.
    package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        for number in weights.rows.joined() { try run.require(number, -1000...1000, "a weight") }
        if weights == .unchanged { return image }
        return try run.make(like: image) { source, target in
            try ColorPass(weights).run(source, into: target, run)
        }
    }
}
