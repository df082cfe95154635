public import Firn
public import Foundation

// Nuke's labels and types: `contentMode`, sizes as `CGSize`, lengths as floating-point numbers.
extension ImageProcessors.Resize {
    /// Fills or fits a size.
    ///
    /// - Parameters:
    ///   - unit: what `size` is counted in. Default: pixels; Nuke's default is points.
    ///   - contentMode: whether the size is filled or fitted. Default: filled, as in Nuke.
    public init(
        size: CGSize, unit: ImageProcessingOptions.Unit = .pixels, contentMode: ContentMode = .aspectFill,
        crop: Bool = false, upscale: Bool = false
    ) {
        self.init(size: PixelSize(size, unit), mode: contentMode, crop: crop, upscale: upscale)
    }

    /// Fills or fits a size; `contentMode` is what ``/FirnProcessing/ImageProcessors/Resize`` calls `mode`.
    public init(
        size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, contentMode: ContentMode, crop: Bool = false,
        upscale: Bool = false
    ) {
        self.init(size: size, unit: unit, mode: contentMode, crop: crop, upscale: upscale)
    }

    /// Makes images so wide. Default unit: pixels; Nuke's default is points.
    public init(width: Double, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false) {
        self.init(width: PixelSize.side(width, unit), upscale: upscale)
    }

    /// Makes images so high. Default unit: pixels; Nuke's default is points.
    public init(height: Double, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false) {
        self.init(height: PixelSize.side(height, unit), upscale: upscale)
    }
}

extension ImageProcessing where Self == ImageProcessors.Resize {
    /// Fills or fits a size; the defaults are `unit: .pixels` and, as in Nuke, `contentMode: .aspectFill`.
    public static func resize(
        size: CGSize, unit: ImageProcessingOptions.Unit = .pixels, contentMode: ContentMode = .aspectFill,
        crop: Bool = false, upscale: Bool = false
    ) -> ImageProcessors.Resize {
        ImageProcessors.Resize(size: size, unit: unit, contentMode: contentMode, crop: crop, upscale: upscale)
    }

    /// Fills or fits a size; `contentMode` is what ``/FirnProcessing/ImageProcessors/Resize`` calls `mode`.
    public static func resize(
        size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, contentMode: ContentMode, crop: Bool = false,
        upscale: Bool = false
    ) -> ImageProcessors.Resize {
        ImageProcessors.Resize(size: size, unit: unit, mode: contentMode, crop: crop, upscale: upscale)
    }

    /// Makes images so wide. Default unit: pixels; Nuke's default is points.
    public static func resize(
        width: Double, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false
    ) -> ImageProcessors.Resize { ImageProcessors.Resize(width: width, unit: unit, upscale: upscale) }

    /// Makes images so high. Default unit: pixels; Nuke's default is points.
    public static func resize(
        height: Double, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false
    ) -> ImageProcessors.Resize { ImageProcessors.Resize(height: height, unit: unit, upscale: upscale) }

    /// Makes images so wide, counted in a unit.
    public static func resize(
        width: Int, unit: ImageProcessingOptions.Unit, upscale: Bool = false
    ) -> ImageProcessors.Resize { ImageProcessors.Resize(width: width, unit: unit, upscale: upscale) }

    /// Makes images so high, counted in a unit.
    public static func resize(
        height: Int, unit: ImageProcessingOptions.Unit, upscale: Bool = false
    ) -> ImageProcessors.Resize { ImageProcessors.Resize(height: height, unit: unit, upscale: upscale) }
}
