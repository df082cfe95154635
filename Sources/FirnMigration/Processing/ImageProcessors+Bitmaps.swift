public import Firn

// Nuke's processors process images without a context, too.
extension ImageProcessors.Resize {
    /// The processed image; `nil` if that fails.
    public func process(_ image: Bitmap) -> Bitmap? { processed(image) }
}

extension ImageProcessors.Circle {
    /// The processed image; `nil` if that fails.
    public func process(_ image: Bitmap) -> Bitmap? { processed(image) }
}

extension ImageProcessors.RoundedCorners {
    /// The processed image; `nil` if that fails.
    public func process(_ image: Bitmap) -> Bitmap? { processed(image) }
}

extension ImageProcessors.GaussianBlur {
    /// The processed image; `nil` if that fails.
    public func process(_ image: Bitmap) -> Bitmap? { processed(image) }
}

extension ImageProcessors.Anonymous {
    /// The processed image; `nil` if that fails.
    public func process(_ image: Bitmap) -> Bitmap? { processed(image) }
}

extension ImageProcessors.Composition {
    /// The processed image; `nil` if that fails.
    public func process(_ image: Bitmap) -> Bitmap? { processed(image) }
}

extension ImageProcessing {
    /// The image that the processor makes with the default context.
    fileprivate func processed(_ image: Bitmap) -> Bitmap? {
        try? process(ImageContainer(image: image), context: ImageProcessingContext()).image
    }
}

extension ImageProcessingContext {
    /// A processor is told neither the request nor the response.
    @available(*, unavailable, message: "use ImageProcessingContext()")
    public init(request: ImageRequest, response: ImageResponse, isCompleted: Bool) { self.init() }

    /// The container tells.
    @available(*, unavailable, message: "use !container.isPreview")
    public var isCompleted: Bool { true }
}
