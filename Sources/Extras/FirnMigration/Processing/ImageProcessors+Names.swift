public import Firn

extension ImageProcessors {
    /// Cuts the largest circle out of the middle of an image.
    public struct Circle: NukeProcessor, RenamedProcessor {
        /// The processor of Firn.
        public let original: any ImageProcessing

        /// A circle with a border, if there is one.
        public init(border: ImageProcessingOptions.Border? = nil) { original = .circle(border: border) }
    }

    /// Rounds the corners of an image.
    public struct RoundedCorners: NukeProcessor, RenamedProcessor {
        /// The processor of Firn.
        public let original: any ImageProcessing

        /// Corners of a radius. Default unit: pixels; Nuke's default is points.
        public init(
            radius: Double, unit: ImageProcessingOptions.Unit = .pixels, border: ImageProcessingOptions.Border? = nil
        ) { original = .roundedCorners(radius: radius, unit: unit, border: border) }
    }

    /// Blurs an image by a Gaussian.
    public struct GaussianBlur: NukeProcessor, RenamedProcessor {
        /// The processor of Firn.
        public let original: any ImageProcessing

        /// A Gaussian whose standard deviation is so many pixels.
        public init(radius: Int = 8) { original = .gaussianBlur(radius: Double(radius)) }
    }

    /// Runs a closure on an image.
    public struct Anonymous: NukeProcessor, RenamedProcessor {
        /// The processor of Firn.
        public let original: any ImageProcessing

        /// A processor of a closure that may return `nil`: the request then fails with the stage `processing`.
        public init(id: String, _ closure: @escaping @Sendable (Bitmap) -> Bitmap?) {
            original = .process(id: id, closure)
        }
    }

    /// Runs several processors, one after the other.
    public struct Composition: NukeProcessor, RenamedProcessor {
        /// The processor of Firn.
        public let original: any ImageProcessing

        /// A processor of several.
        public init(_ processors: [any ImageProcessing]) { original = .composition(processors) }
    }
}

extension ImageProcessing where Self == ImageProcessors {
    /// Blurs images by a Gaussian whose standard deviation is so many pixels.
    public static func gaussianBlur(radius: Int) -> some ImageProcessing { gaussianBlur(radius: Double(radius)) }

    /// A processor of a closure that may return `nil`: the request then fails with the stage `processing`.
    @_disfavoredOverload
    public static func process(
        id: String, _ closure: @escaping @Sendable (Bitmap) -> Bitmap?
    ) -> some ImageProcessing {
        process(id: id) { (image: Bitmap) throws -> Bitmap in
            guard let changed = closure(image) else {
                throw ImageProcessingError(.image, in: id, "the closure returned no image")
            }
            return changed
        }
    }
}

extension ImageProcessing {
    /// The identifier in a form that can be compared.
    public var hashableIdentifier: AnyHashable { identifier }
}

extension ImageProcessingError {
    /// A processor gave no image, for a reason that it does not say.
    public static var unknown: ImageProcessingError {
        ImageProcessingError(.image, in: "processor", "the processor gave no image")
    }
}
