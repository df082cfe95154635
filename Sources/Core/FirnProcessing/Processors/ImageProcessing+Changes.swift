// Sizes, shapes, and what is laid over images.

extension ImageProcessing where Self == ImageProcessors {
    /// Keeps the rectangle of `width` × `height` pixels whose upper left corner is at column `x` and row `y`.
    ///
    /// Parts outside the image are left out. Processing fails with ``/FirnImage/ImageProcessingError`` if
    /// nothing is left.
    public static func crop(x: Int, y: Int, width: Int, height: Int) -> some ImageProcessing {
        ImageProcessors.Crop(x: x, y: y, width: width, height: height)
    }

    /// Keeps a part of `size`, or all of a side that is shorter.
    ///
    /// - Parameters:
    ///   - size: the size of the part.
    ///   - unit: what `size` is counted in. Default: pixels.
    ///   - anchor: which part is kept. Default: the middle.
    public static func crop(
        size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, anchor: ImageProcessingOptions.Anchor = .center
    ) -> some ImageProcessing {
        ImageProcessors.Crop(size: size, unit: unit, anchor: anchor)
    }

    /// Cuts off a border of one color; transparent pixels count as magenta.
    ///
    /// An image without anything but border stays whole. Processing fails with ``/FirnImage/ImageProcessingError`` if
    /// `tolerance` is no number from 0 to 255.
    /// - Parameters:
    ///   - tolerance: how far a component may be from the border's, in levels of 8 bits. Default: 10, which covers the
    ///     noise of a JPEG file.
    ///   - color: the color of the border, whose alpha is ignored. Default: that of the upper left pixel.
    ///   - equalHorizontal: whether left and right lose equally, the smaller of both. Default: false.
    ///   - equalVertical: whether top and bottom lose equally, the smaller of both. Default: false.
    ///   - keepsLines: whether single pixels and lines of one pixel end the border, too. Default: false, so that specks
    ///     do not.
    public static func trim(
        tolerance: Double = 10, color: SRGBColor? = nil, equalHorizontal: Bool = false, equalVertical: Bool = false,
        keepsLines: Bool = false
    ) -> some ImageProcessing {
        ImageProcessors.Trim(
            tolerance: tolerance, color: color, equalHorizontal: equalHorizontal, equalVertical: equalVertical,
            keepsLines: keepsLines)
    }

    /// Adds pixels of one color at each edge.
    ///
    /// - Parameters:
    ///   - top: how many rows are added above, and so on for the other edges. Default: none.
    ///   - color: the color of the new pixels. Default: transparent.
    public static func pad(
        top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, color: SRGBColor = .clear
    ) -> some ImageProcessing {
        ImageProcessors.Pad(top: top, left: left, bottom: bottom, right: right, color: color)
    }

    /// Enlarges the canvas of images that are smaller than `size`; a side that is longer stays.
    ///
    /// - Parameters:
    ///   - size: the size of the canvas in pixels.
    ///   - anchor: where on the canvas the image is. Default: in the middle.
    ///   - color: the color of the canvas. Default: transparent.
    public static func pad(
        to size: PixelSize, anchor: ImageProcessingOptions.Anchor = .center, color: SRGBColor = .clear
    ) -> some ImageProcessing {
        ImageProcessors.Pad(to: size, anchor: anchor, color: color)
    }

    /// Rotates images clockwise by quarter turns.
    ///
    /// - Parameter quarterTurns: how many; negative ones are counterclockwise, and four change nothing. Default: one.
    public static func rotate(quarterTurns: Int = 1) -> some ImageProcessing {
        let turn = ImageProcessors.Rotate.Turn(rawValue: (quarterTurns & 3) * 90)
        return ImageProcessors.Composition(turn.map { [ImageProcessors.Rotate($0)] } ?? [])
    }

    /// Mirrors images: left and right change places.
    public static func flipHorizontally() -> some ImageProcessing { ImageProcessors.Flip(.horizontal) }

    /// Mirrors images: top and bottom change places.
    public static func flipVertically() -> some ImageProcessing { ImageProcessors.Flip(.vertical) }

    /// Draws images over a background of one color, so that they are opaque.
    ///
    /// - Parameter background: the color, whose alpha is ignored. Default: white.
    public static func flatten(background: SRGBColor = .white) -> some ImageProcessing {
        ImageProcessors.Flatten(background: background)
    }

    /// Lays a color over images, as far as the color is opaque.
    public static func blend(color: SRGBColor) -> some ImageProcessing {
        ImageProcessors.Blend(color: color)
    }

    /// Lays another image over images: watermarks, badges.
    ///
    /// Processing fails with ``/FirnImage/ImageProcessingError`` if `opacity` is no number from 0 to 1.
    /// - Parameters:
    ///   - image: the image that is laid over.
    ///   - id: names `image`: results are shared and cached under it.
    ///   - anchor: where it is. Default: in the lower right corner.
    ///   - margin: how far it is from the edges that the anchor names, in pixels. Default: 0.
    ///   - opacity: what its alpha is multiplied by, from 0 to 1. Default: 1.
    public static func overlay(
        _ image: Bitmap, id: String, anchor: ImageProcessingOptions.Anchor = .bottomRight, margin: Int = 0,
        opacity: Double = 1
    ) -> some ImageProcessing {
        ImageProcessors.Overlay(image, id: id, anchor: anchor, margin: margin, opacity: opacity)
    }

    /// Lays another image over images, at a place.
    ///
    /// Processing fails with ``/FirnImage/ImageProcessingError`` if `opacity` is no number from 0 to 1.
    /// - Parameters:
    ///   - image: the image that is laid over.
    ///   - id: names `image`: results are shared and cached under it.
    ///   - x: the column of its left edge, which may be outside.
    ///   - y: the row of its upper edge, which may be outside.
    ///   - opacity: what its alpha is multiplied by, from 0 to 1. Default: 1.
    public static func overlay(
        _ image: Bitmap, id: String, x: Int, y: Int, opacity: Double = 1
    ) -> some ImageProcessing {
        ImageProcessors.Overlay(image, id: id, x: x, y: y, opacity: opacity)
    }

    /// Lays copies of another image over images, in rows and columns around the middle.
    ///
    /// Processing fails with ``/FirnImage/ImageProcessingError`` if `opacity` is no number from 0 to 1, or a gap is
    /// negative or more than 65,535.
    /// - Parameters:
    ///   - image: the image that is laid over.
    ///   - id: names `image`: results are shared and cached under it.
    ///   - horizontalGap: the pixels between copies in a row. Default: 0.
    ///   - verticalGap: the pixels between rows of copies. Default: 0.
    ///   - opacity: what its alpha is multiplied by, from 0 to 1. Default: 1.
    public static func tiledOverlay(
        _ image: Bitmap, id: String, horizontalGap: Int = 0, verticalGap: Int = 0, opacity: Double = 1
    ) -> some ImageProcessing {
        ImageProcessors.Overlay(
            tiling: image, id: id, horizontalGap: horizontalGap, verticalGap: verticalGap, opacity: opacity)
    }

    /// Shows images as squares of one color each: the mean of their pixels.
    ///
    /// Processing fails with ``/FirnImage/ImageProcessingError`` if `side` is out of its range.
    /// - Parameter side: the side of a square in pixels, from 1, which changes nothing, to 65,535.
    public static func pixelate(side: Int) -> some ImageProcessing {
        ImageProcessors.Pixelate(side: side)
    }

    /// Sharpens images by unsharp masking; alpha stays as it is.
    ///
    /// Processing fails with ``/FirnImage/ImageProcessingError`` if a parameter is out of its range.
    /// - Parameters:
    ///   - amount: the share of the difference between image and blurred copy that is added, from 0, which changes
    ///     nothing, to 10. Default: 0.6.
    ///   - radius: the standard deviation of the blur, from 0 to 1000 pixels. Default: 1, for images that were reduced.
    ///   - unit: what `radius` is counted in. Default: pixels.
    public static func sharpen(
        amount: Double = 0.6, radius: Double = 1, unit: ImageProcessingOptions.Unit = .pixels
    ) -> some ImageProcessing {
        ImageProcessors.Sharpen(amount: amount, radius: radius, unit: unit)
    }
}

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
