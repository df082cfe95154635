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
