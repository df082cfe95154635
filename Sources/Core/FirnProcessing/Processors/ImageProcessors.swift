@_exported public import FirnImage

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

extension Bitmap {
    /// Returns the image changed by processors, one after the other, without a pipeline.
    ///
    ///     let avatar = try await image.applying([.resize(size: PixelSize(64), mode: .fill, crop: true), .circle()])
    ///
    /// Runs on Firn's own threads, large images on all cores. Cancelling the task ends it.
    ///
    /// - Parameters:
    ///   - processors: the processors, in order.
    ///   - limits: the limits of the result. Default: those of `ImageLimits()`.
    /// - Throws: the error of the first processor that fails, ``/FirnImage/ImageProcessingError`` for Firn's own;
    ///   `CancellationError`.
    public func applying(
        _ processors: [any ImageProcessing], limits: ImageLimits = ImageLimits()
    ) async throws -> Bitmap {
        try await BlockingCall.run { try applying(processors, limits, $0) }
    }

    /// Does what `applying(_:limits:)` does, and blocks the calling thread for that time.
    ///
    /// - Throws: the error of the first processor that fails.
    public func applyingBlocking(
        _ processors: [any ImageProcessing], limits: ImageLimits = ImageLimits()
    ) throws -> Bitmap {
        try applying(processors, limits, CancellationFlag())
    }

    private func applying(
        _ processors: [any ImageProcessing], _ limits: ImageLimits, _ cancellation: CancellationFlag
    ) throws -> Bitmap {
        let context = ImageProcessingContext(
            cancellation: cancellation, limits: limits, stripes: StripeCrew.shared)
        return try ImageProcessors.Composition(processors).process(ImageContainer(image: self), context: context).image
    }
}
