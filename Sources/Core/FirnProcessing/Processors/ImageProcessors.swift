public import FirnImage

/// The processors that come with Firn, as functions:
///
///     request.processors = [.resize(width: 320), .crop(size: PixelSize(200)), .flatten()]
///     let toned = ImageProcessors.sepia(0.5)
///
/// There are no instances of the type itself. It is an ``/FirnImage/ImageProcessing`` so that its functions are found
/// wherever a processor is expected, and after its name.
public enum ImageProcessors: ImageProcessing {
    /// Never called.
    public var identifier: String {
        switch self {}
    }

    /// Never called.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        switch self {}
    }
}

extension ImageProcessors {
    /// Runs a closure on an image.
    package struct Anonymous: ImageProcessing {
        /// The identifier, under which results are shared and cached.
        package let identifier: String
        private let change: @Sendable (Bitmap) throws -> Bitmap

        /// Creates a processor that runs `change`.
        package init(id: String, _ change: @escaping @Sendable (Bitmap) throws -> Bitmap) {
            identifier = id
            self.change = change
        }

        /// Returns the image that the closure makes of the image in `container`.
        ///
        /// - Throws: what the closure throws; `CancellationError` if the task was cancelled before the closure ran.
        package func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer {
            if context.cancellation.isCancelled { throw CancellationError() }
            var container = container
            container.image = try change(container.image)
            return container
        }
    }
}
