public import FirnImage

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
