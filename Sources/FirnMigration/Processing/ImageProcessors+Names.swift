public import Firn

extension ImageProcessors.GaussianBlur {
    /// Blurs images by a Gaussian whose standard deviation is so many pixels.
    public init(radius: Int) { self.init(radius: Double(radius)) }
}

extension ImageProcessing where Self == ImageProcessors.GaussianBlur {
    /// Blurs images by a Gaussian whose standard deviation is so many pixels.
    public static func gaussianBlur(radius: Int) -> ImageProcessors.GaussianBlur {
        ImageProcessors.GaussianBlur(radius: Double(radius))
    }
}

extension ImageProcessors.Anonymous {
    /// A processor of a closure that may return `nil`: the request then fails with the stage `processing`.
    @_disfavoredOverload
    public init(id: String, _ closure: @escaping @Sendable (Bitmap) -> Bitmap?) {
        self.init(id: id) { image in
            guard let changed = closure(image) else {
                throw ImageProcessingError(.image, in: id, "the closure returned no image")
            }
            return changed
        }
    }
}

extension ImageProcessing where Self == ImageProcessors.Anonymous {
    /// A processor of a closure that may return `nil`: the request then fails with the stage `processing`.
    @_disfavoredOverload
    public static func process(
        id: String, _ closure: @escaping @Sendable (Bitmap) -> Bitmap?
    ) -> ImageProcessors.Anonymous { ImageProcessors.Anonymous(id: id, closure) }

    /// Core Image is Apple's.
    @available(
        *, unavailable,
        message: "use .gaussianBlur(radius:), or .process(id:) with a closure"
    )
    public static func coreImageFilter(name: String) -> ImageProcessors.Anonymous {
        ImageProcessors.Anonymous(id: name) { $0 as Bitmap }
    }
}

extension ImageProcessors {
    /// Core Image is Apple's.
    @available(
        *, unavailable,
        message: "use .gaussianBlur(radius:), or .process(id:) with a closure"
    )
    public struct CoreImageFilter {
        /// Core Image is Apple's.
        public init(name: String) {}
        /// Core Image is Apple's.
        public init(name: String, parameters: [String: Any], identifier: String) {}
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
