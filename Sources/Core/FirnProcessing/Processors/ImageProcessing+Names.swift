// Functions by their short names: `processors: [.resize(width: 320), .circle()]`.

extension ImageProcessing where Self == ImageProcessors {
    /// Resizes images to fit into `size` or to fill it, with a Lanczos 3 filter.
    ///
    /// - Parameters:
    ///   - size: the target rectangle. A side of 0 is free: it follows from the other side.
    ///   - unit: the unit of `size`. Default: pixels.
    ///   - mode: `fit` puts the whole image inside the rectangle; `fill` covers the whole rectangle. Default: `nil`,
    ///     `fill` for a crop and otherwise `fit`.
    ///   - crop: whether to crop an image that fills the rectangle to it. Has no effect with `fit`. A smaller image,
    ///     without `upscale`, is cropped to the rectangle's aspect ratio: 300 × 200 pixels to 200 × 200 for a square
    ///     of 256. Default: false.
    ///   - anchor: the part that a crop keeps. Default: the middle.
    ///   - upscale: whether to enlarge smaller images. Default: false, because it costs memory and adds no detail.
    ///   - linearLight: whether to mix encoded colors in linear light. Preserves the brightness of fine bright detail
    ///     on a dark background, but has darker ringing and takes three times as long. Default: false, as in decoders
    ///     that scale.
    public static func resize(
        size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, mode: ImageContentMode? = nil, crop: Bool = false,
        anchor: ImageProcessingOptions.Anchor = .center, upscale: Bool = false, linearLight: Bool = false
    ) -> some ImageProcessing {
        ImageProcessors.Resize(
            size: size, unit: unit, mode: mode, crop: crop, anchor: anchor, upscale: upscale, linearLight: linearLight)
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
