public import FirnImage

// Changes of colors. They work on encoded colors; half floats, which are linear light, are encoded for it. Alpha stays.

extension ImageProcessing where Self == ImageProcessors {
    /// Multiplies the colors of each pixel by a matrix.
    ///
    /// Processing fails with ``/FirnImage/ImageProcessingError`` if one of the numbers is not from -1000 to 1000.
    /// - Parameters:
    ///   - red: the new red: the weights of red, green and blue, and what is added, where 1 is a full component.
    ///   - green: the new green.
    ///   - blue: the new blue.
    public static func colorMatrix(
        red: SIMD4<Double>, green: SIMD4<Double>, blue: SIMD4<Double>
    ) -> some ImageProcessing {
        ImageProcessors.ColorMatrix(red: red, green: green, blue: blue)
    }

    /// Removes color, keeping lightness.
    ///
    /// - Parameter amount: from 0, which changes nothing, to 1, the default.
    public static func grayscale(_ amount: Double = 1) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.grayscale(amount)
    }

    /// Tones images in the brown of old photographs.
    ///
    /// - Parameter amount: from 0, which changes nothing, to 1, the default.
    public static func sepia(_ amount: Double = 1) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.sepia(amount)
    }

    /// Replaces colors by shades of one.
    ///
    /// - Parameters:
    ///   - color: the color, whose alpha is ignored.
    ///   - amount: from 0, which changes nothing, to 1, the default.
    public static func tint(_ color: SRGBColor, _ amount: Double = 1) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.tint(color, amount)
    }

    /// Adds `amount` to all colors: -1 makes everything black, 1 white.
    public static func brightness(_ amount: Double) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.brightness(amount)
    }

    /// Multiplies the distance of all colors from the middle gray: 0 makes everything gray, 1 changes nothing.
    public static func contrast(_ factor: Double) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.contrast(factor)
    }

    /// Multiplies colorfulness: 0 leaves lightness alone, 1 changes nothing.
    public static func saturation(_ factor: Double) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.saturation(factor)
    }

    /// Rotates all hues by an angle in degrees.
    public static func hue(degrees: Double) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.hue(degrees: degrees)
    }

    /// Inverts colors: the negative.
    public static func invert() -> some ImageProcessing { ImageProcessors.ColorMatrix.inverted }
}
