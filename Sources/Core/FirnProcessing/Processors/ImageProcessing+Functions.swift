// Functions by their short names: `processors: [.resize(width: 320), .circle()]`.
extension ImageProcessing where Self == ImageProcessors {
    /// Keeps the rectangle of `width` × `height` pixels whose upper left corner is at column `x` and row `y`.
    ///
    /// Parts outside the image are left out. Processing fails with ``/FirnImage/ImageError`` if
    /// nothing is left.
    public static func crop(x: Int, y: Int, width: Int, height: Int) -> some ImageProcessing {
        ImageProcessors.Crop(x: x, y: y, width: width, height: height)
    }

    /// Keeps a part of `size`; a shorter side of the image stays whole.
    ///
    /// - Parameters:
    ///   - size: the size of the part.
    ///   - unit: the unit of `size`. Default: pixels.
    ///   - anchor: the part to keep. Default: the middle.
    public static func crop(
        size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, anchor: ImageProcessingOptions.Anchor = .center
    ) -> some ImageProcessing {
        ImageProcessors.Crop(size: size, unit: unit, anchor: anchor)
    }

    /// Trims a border of one color; transparent pixels count as magenta.
    ///
    /// An image of nothing but border stays whole. Processing fails with ``/FirnImage/ImageError`` if
    /// `tolerance` is not a number from 0 to 255.
    /// - Parameters:
    ///   - tolerance: the maximum difference of a component from the border's, in 8-bit levels. Default: 10, which
    ///     covers JPEG noise.
    ///   - color: the color of the border; its alpha is ignored. Default: the color of the upper left pixel.
    ///   - equalHorizontal: whether to trim left and right equally, by the smaller amount. Default: false.
    ///   - equalVertical: whether to trim top and bottom equally, by the smaller amount. Default: false.
    ///   - keepsLines: whether single pixels and one-pixel lines end the border. Default: false, so that specks do not.
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
    ///   - top: the number of rows to add above, and likewise for the other edges. Default: 0.
    ///   - color: the color of the new pixels. Default: transparent.
    public static func pad(
        top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, color: SRGBColor = .clear
    ) -> some ImageProcessing {
        ImageProcessors.Pad(top: top, left: left, bottom: bottom, right: right, color: color)
    }

    /// Enlarges the canvas of images that are smaller than `size`; a longer side is unchanged.
    ///
    /// - Parameters:
    ///   - size: the size of the canvas in pixels.
    ///   - anchor: the position of the image on the canvas. Default: the middle.
    ///   - color: the color of the canvas. Default: transparent.
    public static func pad(
        to size: PixelSize, anchor: ImageProcessingOptions.Anchor = .center, color: SRGBColor = .clear
    ) -> some ImageProcessing {
        ImageProcessors.Pad(to: size, anchor: anchor, color: color)
    }

    /// Rotates images clockwise by quarter turns.
    ///
    /// - Parameter quarterTurns: the number of turns; negative numbers turn counterclockwise. Default: 1.
    public static func rotate(quarterTurns: Int = 1) -> some ImageProcessing {
        let turn = ImageProcessors.Rotate.Turn(rawValue: (quarterTurns & 3) * 90)
        return ImageProcessors.Composition(turn.map { [ImageProcessors.Rotate($0)] } ?? [])
    }

    /// Mirrors images: left and right are exchanged.
    public static func flipHorizontally() -> some ImageProcessing { ImageProcessors.Flip(.horizontal) }

    /// Mirrors images: top and bottom are exchanged.
    public static func flipVertically() -> some ImageProcessing { ImageProcessors.Flip(.vertical) }

    /// Draws images over a background color, so that they are opaque.
    ///
    /// - Parameter background: the color; its alpha is ignored. Default: white.
    public static func flatten(background: SRGBColor = .white) -> some ImageProcessing {
        ImageProcessors.Flatten(background: background)
    }

    /// Draws a color over images, using the color's alpha.
    public static func blend(color: SRGBColor) -> some ImageProcessing {
        ImageProcessors.Blend(color: color)
    }

    /// Draws another image over images: watermarks, badges.
    ///
    /// Processing fails with ``/FirnImage/ImageError`` if `opacity` is not a number from 0 to 1.
    /// - Parameters:
    ///   - image: the image to draw over them.
    ///   - id: identifies `image`; results are shared and cached under it.
    ///   - anchor: the position of `image`. Default: the lower right corner.
    ///   - margin: the distance from the edges that the anchor names, in pixels. Default: 0.
    ///   - opacity: the factor for the alpha of `image`, from 0 to 1. Default: 1.
    public static func overlay(
        _ image: Bitmap, id: String, anchor: ImageProcessingOptions.Anchor = .bottomRight, margin: Int = 0,
        opacity: Double = 1
    ) -> some ImageProcessing {
        ImageProcessors.Overlay(image, id: id, anchor: anchor, margin: margin, opacity: opacity)
    }

    /// Draws another image over images at a position.
    ///
    /// Processing fails with ``/FirnImage/ImageError`` if `opacity` is not a number from 0 to 1.
    /// - Parameters:
    ///   - image: the image to draw over them.
    ///   - id: identifies `image`; results are shared and cached under it.
    ///   - x: the column of the left edge of `image`, inside or outside.
    ///   - y: the row of the upper edge of `image`, inside or outside.
    ///   - opacity: the factor for the alpha of `image`, from 0 to 1. Default: 1.
    public static func overlay(
        _ image: Bitmap, id: String, x: Int, y: Int, opacity: Double = 1
    ) -> some ImageProcessing {
        ImageProcessors.Overlay(image, id: id, x: x, y: y, opacity: opacity)
    }

    /// Draws copies of another image over images, in rows and columns around the middle.
    ///
    /// Processing fails with ``/FirnImage/ImageError`` if `opacity` is not a number from 0 to 1, or a gap is
    /// negative or more than 65,535.
    /// - Parameters:
    ///   - image: the image to draw over them.
    ///   - id: identifies `image`; results are shared and cached under it.
    ///   - horizontalGap: the gap between copies in a row, in pixels. Default: 0.
    ///   - verticalGap: the gap between rows of copies, in pixels. Default: 0.
    ///   - opacity: the factor for the alpha of `image`, from 0 to 1. Default: 1.
    public static func tiledOverlay(
        _ image: Bitmap, id: String, horizontalGap: Int = 0, verticalGap: Int = 0, opacity: Double = 1
    ) -> some ImageProcessing {
        ImageProcessors.Overlay(
            tiling: image, id: id, horizontalGap: horizontalGap, verticalGap: verticalGap, opacity: opacity)
    }

    /// Turns images into squares of one color each, the mean of their pixels.
    ///
    /// Processing fails with ``/FirnImage/ImageError`` if `side` is out of its range.
    /// - Parameter side: the side of a square in pixels, from 1, which changes nothing, to 65,535.
    public static func pixelate(side: Int) -> some ImageProcessing {
        ImageProcessors.Pixelate(side: side)
    }

    /// Sharpens images by unsharp masking; alpha is unchanged.
    ///
    /// Processing fails with ``/FirnImage/ImageError`` if a parameter is out of its range.
    /// - Parameters:
    ///   - amount: the factor of the added difference between image and blurred copy, from 0 (no change) to 10.
    ///     Default: 0.6.
    ///   - radius: the standard deviation of the blur, from 0 to 1000 pixels. Default: 1, which suits downscaled
    ///     images.
    ///   - unit: the unit of `radius`. Default: pixels.
    public static func sharpen(
        amount: Double = 0.6, radius: Double = 1, unit: ImageProcessingOptions.Unit = .pixels
    ) -> some ImageProcessing {
        ImageProcessors.Sharpen(amount: amount, radius: radius, unit: unit)
    }

    // MARK: Color changes

    // They work on encoded colors; half floats, which are linear light, are encoded first. Alpha is unchanged.

    /// Multiplies the colors of each pixel by a matrix.
    ///
    /// Processing fails with ``/FirnImage/ImageError`` if one of the numbers is not from -1000 to 1000.
    /// - Parameters:
    ///   - red: the new red: the weights of red, green and blue, and an offset, where 1 is a full component.
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

    /// Applies a sepia tone.
    ///
    /// - Parameter amount: from 0, which changes nothing, to 1, the default.
    public static func sepia(_ amount: Double = 1) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.sepia(amount)
    }

    /// Replaces colors with shades of one color.
    ///
    /// - Parameters:
    ///   - color: the color; its alpha is ignored.
    ///   - amount: from 0, which changes nothing, to 1, the default.
    public static func tint(_ color: SRGBColor, _ amount: Double = 1) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.tint(color, amount)
    }

    /// Adds `amount` to all colors: -1 makes everything black, 1 white.
    public static func brightness(_ amount: Double) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.brightness(amount)
    }

    /// Multiplies the distance of all colors from middle gray: 0 makes everything gray, 1 changes nothing.
    public static func contrast(_ factor: Double) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.contrast(factor)
    }

    /// Multiplies the saturation: 0 removes all color, 1 changes nothing.
    public static func saturation(_ factor: Double) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.saturation(factor)
    }

    /// Rotates all hues by an angle in degrees.
    public static func hue(degrees: Double) -> some ImageProcessing {
        ImageProcessors.ColorMatrix.hue(degrees: degrees)
    }

    /// Inverts colors: the negative.
    public static func invert() -> some ImageProcessing { ImageProcessors.ColorMatrix.inverted }

    /// Resizes images to fit into `size` or to fill it, with a Lanczos 3 filter.
    ///
    /// - Parameters:
    ///   - size: the target rectangle. A side of 0 is free: it follows from the other side.
    ///   - unit: the unit of `size`. Default: pixels.
    ///   - contentMode: `fit` puts the whole image inside the rectangle; `fill` covers the whole rectangle. Default:
    ///     `nil`, `fill` for a crop and otherwise `fit`.
    ///   - crop: whether to crop an image that fills the rectangle to it. Has no effect with `fit`. A smaller image,
    ///     without `upscale`, is cropped to the rectangle's aspect ratio: 300 × 200 pixels to 200 × 200 for a square
    ///     of 256. Default: false.
    ///   - anchor: the part that a crop keeps. Default: the middle.
    ///   - upscale: whether to enlarge smaller images. Default: false, because it costs memory and adds no detail.
    ///   - linearLight: whether to mix encoded colors in linear light. Preserves the brightness of fine bright detail
    ///     on a dark background, but has darker ringing and takes three times as long. Default: false, as in decoders
    ///     that scale.
    public static func resize(
        size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, contentMode: ImageContentMode? = nil,
        crop: Bool = false, anchor: ImageProcessingOptions.Anchor = .center, upscale: Bool = false,
        linearLight: Bool = false
    ) -> some ImageProcessing {
        ImageProcessors.Resize(
            size: size, unit: unit, mode: contentMode, crop: crop, anchor: anchor, upscale: upscale,
            linearLight: linearLight)
    }

    /// Resizes images to a width, keeping their aspect ratio. Smaller images are enlarged only with `upscale`.
    public static func resize(
        width: Int, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false, linearLight: Bool = false
    ) -> some ImageProcessing {
        ImageProcessors.Resize(width: width, unit: unit, upscale: upscale, linearLight: linearLight)
    }

    /// Resizes images to a height, keeping their aspect ratio. Smaller images are enlarged only with `upscale`.
    public static func resize(
        height: Int, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false, linearLight: Bool = false
    ) -> some ImageProcessing {
        ImageProcessors.Resize(height: height, unit: unit, upscale: upscale, linearLight: linearLight)
    }

    /// Stretches images to exactly `size`, ignoring their aspect ratio.
    ///
    /// - Parameter upscale: whether to stretch shorter sides. Default: false.
    public static func resize(
        exactly size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false,
        linearLight: Bool = false
    ) -> some ImageProcessing {
        ImageProcessors.Resize(exactly: size, unit: unit, upscale: upscale, linearLight: linearLight)
    }

    /// Runs a closure on images.
    ///
    /// - Parameters:
    ///   - id: identifies `change` and all its parameters; results are shared and cached under it.
    ///   - change: returns the new image. May be called on any thread, concurrently.
    public static func process(
        id: String, _ change: @escaping @Sendable (Bitmap) throws -> Bitmap
    ) -> some ImageProcessing {
        ImageProcessors.Anonymous(id: id, change)
    }

    /// Cuts the largest circle out of the middle of images, with antialiasing. The result is square.
    ///
    /// - Parameter border: a line along the inside of the edge. Default: none.
    public static func circle(border: ImageProcessingOptions.Border? = nil) -> some ImageProcessing {
        ImageProcessors.Circle(border: border)
    }

    /// Rounds the corners of images to quarter circles, with antialiasing.
    ///
    /// - Parameters:
    ///   - radius: the radius of the corners, limited to half of the shorter side.
    ///   - unit: the unit of `radius`. Default: pixels.
    ///   - border: a line along the inside of the edge. Default: none.
    public static func roundedCorners(
        radius: Double, unit: ImageProcessingOptions.Unit = .pixels, border: ImageProcessingOptions.Border? = nil
    ) -> some ImageProcessing {
        ImageProcessors.RoundedCorners(radius: radius, unit: unit, border: border)
    }

    /// Rounds each corner of images with its own radius; 0 leaves a corner square. If two corners would overlap, all
    /// radii shrink by the same factor.
    public static func roundedCorners(
        topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0,
        unit: ImageProcessingOptions.Unit = .pixels, border: ImageProcessingOptions.Border? = nil
    ) -> some ImageProcessing {
        ImageProcessors.RoundedCorners(
            topLeft: topLeft, topRight: topRight, bottomLeft: bottomLeft, bottomRight: bottomRight, unit: unit,
            border: border)
    }

    /// Blurs images with a Gaussian. The outermost pixels repeat beyond the edges.
    ///
    /// Processing fails with ``/FirnImage/ImageError`` if the radius is out of its range.
    /// - Parameters:
    ///   - radius: the Gaussian's standard deviation, from 0, which changes nothing, to 1000 pixels. Default: 8.
    ///   - unit: the unit of `radius`. Default: pixels.
    public static func gaussianBlur(
        radius: Double = 8, unit: ImageProcessingOptions.Unit = .pixels
    ) -> some ImageProcessing {
        ImageProcessors.GaussianBlur(radius: radius, unit: unit)
    }

    /// Runs several processors in order, as one. Adjacent processors are fused if the result differs by at most one
    /// 8-bit level.
    public static func composition(_ processors: [any ImageProcessing]) -> some ImageProcessing {
        ImageProcessors.Composition(processors)
    }
}
