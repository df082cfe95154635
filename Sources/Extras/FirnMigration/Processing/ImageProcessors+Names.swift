import FirnSync
public import Foundation

extension ImageProcessors {
    /// Crops an image to the largest circle in its center.
    public struct Circle: NukeProcessor, RenamedProcessor {
        /// The processor of Firn.
        public let original: any ImageProcessing

        /// Creates a circle. Default: without a border.
        public init(border: ImageProcessingOptions.Border? = nil) { original = .circle(border: border) }
    }

    /// Rounds the corners of an image.
    public struct RoundedCorners: NukeProcessor, RenamedProcessor {
        /// The processor of Firn.
        public let original: any ImageProcessing

        /// Creates corners with a radius. Default unit: pixels; Nuke's default is points.
        public init(
            radius: Double, unit: ImageProcessingOptions.Unit = .pixels, border: ImageProcessingOptions.Border? = nil
        ) { original = .roundedCorners(radius: radius, unit: unit, border: border) }
    }

    /// Blurs an image with a Gaussian.
    public struct GaussianBlur: NukeProcessor, RenamedProcessor {
        /// The processor of Firn.
        public let original: any ImageProcessing

        /// Creates a Gaussian with this standard deviation in pixels.
        public init(radius: Int = 8) { original = .gaussianBlur(radius: Double(radius)) }
    }

    /// Runs a closure on an image.
    public struct Anonymous: NukeProcessor, RenamedProcessor {
        /// The processor of Firn.
        public let original: any ImageProcessing

        /// Creates a processor from a closure. If it returns `nil`, the request fails with the stage `processing`.
        public init(id: String, _ closure: @escaping @Sendable (Bitmap) -> Bitmap?) {
            original = .process(id: id, closure)
        }
    }

    /// Runs several processors, one after the other.
    public struct Composition: NukeProcessor, RenamedProcessor {
        /// The processor of Firn.
        public let original: any ImageProcessing

        /// Creates a processor from several processors.
        public init(_ processors: [any ImageProcessing]) { original = .composition(processors) }
    }

    // Nuke's types: sizes as `CGSize`, lengths as floating-point numbers.

    /// Resizes an image. The default unit is pixels; Nuke's default is points.
    public struct Resize: NukeProcessor, RenamedProcessor {
        /// The processor of Firn.
        public let original: any ImageProcessing

        /// Fills or fits a size. Default: fills it, as in Nuke.
        public init(
            size: CGSize, unit: ImageProcessingOptions.Unit = .pixels, contentMode: ImageContentMode = .aspectFill,
            crop: Bool = false, upscale: Bool = false
        ) { original = .resize(size: size, unit: unit, contentMode: contentMode, crop: crop, upscale: upscale) }

        /// Fills or fits a size.
        public init(
            size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels, contentMode: ImageContentMode,
            crop: Bool = false, upscale: Bool = false
        ) { original = .resize(size: size, unit: unit, contentMode: contentMode, crop: crop, upscale: upscale) }

        /// Resizes images to a width.
        public init(width: Double, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false) {
            original = .resize(width: width, unit: unit, upscale: upscale)
        }

        /// Resizes images to a height.
        public init(height: Double, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false) {
            original = .resize(height: height, unit: unit, upscale: upscale)
        }
    }
}

extension ImageProcessing where Self == ImageProcessors {
    /// Blurs images with a Gaussian with this standard deviation in pixels.
    public static func gaussianBlur(radius: Int) -> some ImageProcessing { gaussianBlur(radius: Double(radius)) }

    /// Creates a processor from a closure. If it returns `nil`, the request fails with the stage `processing`.
    @_disfavoredOverload
    public static func process(
        id: String, _ closure: @escaping @Sendable (Bitmap) -> Bitmap?
    ) -> some ImageProcessing {
        process(id: id) { (image: Bitmap) throws -> Bitmap in
            guard let changed = closure(image) else {
                throw ImageError(.image, at: .processing, "\(id): the closure returned no image")
            }
            return changed
        }
    }
}

extension ImageProcessing {
    /// The identifier in a form that can be compared.
    public var hashableIdentifier: AnyHashable { identifier }
}

/// Nuke's name for the errors of processors, which are of the type ``/FirnImage/ImageError``.
public enum ImageProcessingError {
    /// The error of a processor that returned no image and no reason.
    public static var unknown: ImageError {
        ImageError(.image, at: .processing, "processor: the processor gave no image")
    }
}

extension ImageProcessing where Self == ImageProcessors {
    /// Fills or fits a size; the defaults are `unit: .pixels` and, as in Nuke, `contentMode: .aspectFill`.
    public static func resize(
        size: CGSize, unit: ImageProcessingOptions.Unit = .pixels, contentMode: ImageContentMode = .aspectFill,
        crop: Bool = false, upscale: Bool = false
    ) -> some ImageProcessing {
        resize(size: PixelSize(size, unit), contentMode: contentMode, crop: crop, upscale: upscale)
    }

    /// Resizes images to a width. Default unit: pixels; Nuke's default is points.
    public static func resize(
        width: Double, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false
    ) -> some ImageProcessing { resize(width: PixelSize.side(width, unit), upscale: upscale) }

    /// Resizes images to a height. Default unit: pixels; Nuke's default is points.
    public static func resize(
        height: Double, unit: ImageProcessingOptions.Unit = .pixels, upscale: Bool = false
    ) -> some ImageProcessing { resize(height: PixelSize.side(height, unit), upscale: upscale) }
}

extension ImageProcessingOptions {
    /// `ImageContentMode`, whose cases are `fit` and `fill`.
    public typealias ContentMode = ImageContentMode
}

extension Bitmap {
    /// Returns the image resized to fit into `size` or to fill it, in whole pixels; without a content mode, stretched.
    @_disfavoredOverload
    public func resized(to size: CGSize, contentMode: ImageContentMode? = nil) throws(ImageError) -> Bitmap {
        guard let contentMode else { return try resized(to: PixelSize(size)) }
        return try resized(to: PixelSize(size), contentMode: contentMode)
    }

    /// Returns the part of the image inside of a rectangle, whose numbers are rounded to whole pixels.
    @_disfavoredOverload
    public func cropped(to rectangle: CGRect) throws(ImageError) -> Bitmap {
        let rectangle = rectangle.standardized
        let size = PixelSize(rectangle.size)
        return try cropped(
            x: Int(saturating: rectangle.minX.rounded()), y: Int(saturating: rectangle.minY.rounded()),
            width: size.width, height: size.height)
    }
}
