public import Firn

/// A processor that was written for Nuke, with `process(_:)` alone.
///
/// Replace `ImageProcessing` by `NukeImageProcessing` in the type's declaration; it then is an
/// ``/FirnImage/ImageProcessing``. Its image is made on one thread and as a whole; a cancellation is noticed before
/// it begins.
public protocol NukeImageProcessing: ImageProcessing {
    /// The changed image; `nil` lets the request fail with the stage `processing`.
    func process(_ image: Bitmap) -> Bitmap?
}

extension NukeImageProcessing {
    /// The container with the changed image.
    ///
    /// - Throws: ``/FirnImage/ImageProcessingError`` if `process(_:)` returned `nil`; `CancellationError`.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        if context.cancellation.isCancelled { throw CancellationError() }
        let changed: Bitmap? = process(container.image)
        guard let changed else { throw ImageProcessingError(.image, in: identifier, "process(_:) returned no image") }
        var container = container
        container.image = changed
        return container
    }
}

extension ImageProcessing {
    /// Advice for a processor that was written for Nuke.
    @available(
        *, unavailable,
        message: "conform to NukeImageProcessing for process(_:) alone, or implement process(_:context:)"
    )
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        container
    }
}
