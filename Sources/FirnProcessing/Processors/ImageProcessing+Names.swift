public import FirnImage

// Short names, where a list of processors is wanted: `processors: [.resize(width: 320)]`.

extension ImageProcessing where Self == ImageProcessors.Resize {
    /// Fits pictures into `size` pixels, or fills it; see ``ImageProcessors/Resize``.
    public static func resize(
        size: PixelSize, mode: ContentMode = .fit, crop: Bool = false, upscale: Bool = false
    ) -> ImageProcessors.Resize {
        ImageProcessors.Resize(size: size, mode: mode, crop: crop, upscale: upscale)
    }

    /// Makes pictures `width` pixels wide.
    public static func resize(width: Int, upscale: Bool = false) -> ImageProcessors.Resize {
        ImageProcessors.Resize(width: width, upscale: upscale)
    }

    /// Makes pictures `height` pixels high.
    public static func resize(height: Int, upscale: Bool = false) -> ImageProcessors.Resize {
        ImageProcessors.Resize(height: height, upscale: upscale)
    }
}

extension ImageProcessing where Self == ImageProcessors.Anonymous {
    /// A change that a closure makes; see ``ImageProcessors/Anonymous``.
    public static func process(
        id: String, _ change: @escaping @Sendable (Bitmap) throws -> Bitmap
    ) -> ImageProcessors.Anonymous {
        ImageProcessors.Anonymous(id: id, change)
    }
}
