public import FirnImage

// Short names for lists of processors: `processors: [.resize(width: 320), .circle()]`.

extension ImageProcessing where Self == ImageProcessors.Resize {
    /// Resizes images to fit into `size` or to fill it; see ``ImageProcessors/Resize``.
    public static func resize(
        size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, mode: ContentMode = .fit, crop: Bool = false,
        anchor: ImageProcessingOptions.Anchor = .center, upscale: Bool = false
    ) -> ImageProcessors.Resize {
        ImageProcessors.Resize(size: size, unit: unit, mode: mode, crop: crop, anchor: anchor, upscale: upscale)
    }

    /// Resizes images to a width of `width` pixels.
    public static func resize(width: Int, upscale: Bool = false) -> ImageProcessors.Resize {
        ImageProcessors.Resize(width: width, upscale: upscale)
    }

    /// Resizes images to a height of `height` pixels.
    public static func resize(height: Int, upscale: Bool = false) -> ImageProcessors.Resize {
        ImageProcessors.Resize(height: height, upscale: upscale)
    }
}

extension ImageProcessing where Self == ImageProcessors.Anonymous {
    /// Runs a closure on images; see ``ImageProcessors/Anonymous``.
    public static func process(
        id: String, _ change: @escaping @Sendable (Bitmap) throws -> Bitmap
    ) -> ImageProcessors.Anonymous {
        ImageProcessors.Anonymous(id: id, change)
    }
}

extension ImageProcessing where Self == ImageProcessors.Circle {
    /// Crops images to the largest circle that fits.
    public static func circle(border: ImageProcessingOptions.Border? = nil) -> ImageProcessors.Circle {
        ImageProcessors.Circle(border: border)
    }
}

extension ImageProcessing where Self == ImageProcessors.RoundedCorners {
    /// Rounds the corners of images.
    public static func roundedCorners(
        radius: Double, unit: ImageProcessingOptions.Unit = .pixels, border: ImageProcessingOptions.Border? = nil
    ) -> ImageProcessors.RoundedCorners {
        ImageProcessors.RoundedCorners(radius: radius, unit: unit, border: border)
    }
}

extension ImageProcessing where Self == ImageProcessors.GaussianBlur {
    /// Blurs images by a Gaussian of standard deviation `radius`.
    public static func gaussianBlur(radius: Double = 8) -> ImageProcessors.GaussianBlur {
        ImageProcessors.GaussianBlur(radius: radius)
    }
}
