@_exported public import FirnImage

/// Firn's processors, as functions:
///
///     request.processors = [.resize(width: 320), .crop(size: PixelSize(200)), .flatten()]
///     let toned = ImageProcessors.sepia(0.5)
///
/// The type has no instances. It conforms to ``/FirnImage/ImageProcessing`` so that its functions are found wherever a
/// processor is expected, and as its members.
public enum ImageProcessors: ImageProcessing {
    /// Never called.
    public var identifier: String {
        switch self {}
    }

    /// Never called.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        switch self {}
    }

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

        /// Returns the closure's result for the image in `container`.
        ///
        /// - Throws: the closure's error; ``/FirnImage/ImageError`` if the task was cancelled before the closure ran.
        package func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer {
            if context.cancellation.isCancelled { throw ImageError(CancellationError(), at: .processing) }
            var container = container
            container.image = try change(container.image)
            container.gainMap = nil
            return container
        }
    }
}

extension Bitmap {
    /// Applies processors to the image in order, without a pipeline.
    ///
    ///     let avatar = try await image.applying([.resize(size: PixelSize(64), crop: true), .circle()])
    ///
    /// Runs on Firn's own threads, on all cores for large images. Cancelling the task stops the work.
    ///
    /// - Parameters:
    ///   - processors: the processors, in order.
    ///   - limits: the limits of the result. Default: those of `ImageLimits()`.
    /// - Throws: the error of the first processor that fails. One that is not an ``/FirnImage/ImageError`` becomes the
    ///   ``/FirnImage/ImageError/underlying`` error of one. Fault `cancelled` if the task is cancelled.
    public func applying(
        _ processors: [any ImageProcessing], limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) -> Bitmap {
        try await BlockingCall.run(at: .processing) { try applying(processors, limits, $0) }
    }

    /// Applies one processor: `try await image.applying(.gaussianBlur(radius: 8))`.
    ///
    /// - Throws: the processor's error; `CancellationError`.
    public func applying(_ processor: any ImageProcessing, limits: ImageLimits = ImageLimits()) async throws -> Bitmap {
        try await applying([processor], limits: limits)
    }

    /// Does the same as `applying(_:limits:)`, but blocks the calling thread.
    ///
    /// - Throws: the error of the first processor that fails.
    public func applyingBlocking(
        _ processors: [any ImageProcessing], limits: ImageLimits = ImageLimits()
    ) throws(ImageError) -> Bitmap {
        try ImageError.at(.processing) { try applying(processors, limits, CancellationFlag()) }
    }

    private func applying(
        _ processors: [any ImageProcessing], _ limits: ImageLimits, _ cancellation: CancellationFlag
    ) throws -> Bitmap {
        let context = ImageProcessingContext(
            cancellation: cancellation, limits: limits, stripes: StripeCrew.shared)
        return try ImageProcessors.Composition(processors).process(ImageContainer(image: self), context: context).image
    }
}
