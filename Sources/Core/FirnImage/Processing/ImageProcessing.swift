/// A processor: a value that changes images, without state between them.
public protocol ImageProcessing: Sendable {
    /// The name of the change with all its parameters. Processors with equal identifiers share their work and their
    /// cache keys.
    var identifier: String { get }

    /// The size beyond which more pixels do not change the result; `nil` if all pixels are needed. If the processor is
    /// the first, the decoder decodes no more than this.
    var decodingTarget: TargetSize? { get }

    /// Returns the changed image. Called on any thread, concurrently; for an animation, with each frame.
    ///
    /// - Parameter context: the cancellation flag, the limits, and access to idle threads.
    /// - Throws: any error; Firn's processors throw ``ImageError``.
    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer
}

extension ImageProcessing {
    /// `nil`: all pixels are needed.
    public var decodingTarget: TargetSize? { nil }

    /// Returns the changed image, computed only on this thread with the default limits:
    /// `try processor.process(image)`.
    public func process(_ image: Bitmap) throws -> Bitmap { try process(ImageContainer(image: image)).image }

    /// Returns the changed image, computed only on this thread with the default limits.
    ///
    /// - Parameter cancellation: checked between stripes; once it is set, `process` may throw
    ///   ``ImageError/Fault/cancelled``.
    public func process(
        _ container: ImageContainer, cancellation: CancellationFlag = CancellationFlag()
    ) throws -> ImageContainer {
        try process(container, context: ImageProcessingContext(cancellation: cancellation))
    }
}

/// The context of one call of a processor: cancellation flag, limits, and access to idle threads.
public struct ImageProcessingContext: Sendable {
    /// The flag that processors check between stripes of rows; once it is set, `process` throws
    /// ``ImageError/Fault/cancelled`` or `CancellationError`.
    public var cancellation: CancellationFlag
    /// The limits of a result: ``ImageLimits/maximumPixels`` and ``ImageLimits/maximumResultBytes``. A pipeline sets
    /// its own.
    public var limits: ImageLimits
    /// The executor of stripes.
    package var stripes: any StripeExecutor

    /// Calls `body` with each number from 0 to `count` - 1, on this thread and idle workers, and returns after the last
    /// call.
    ///
    /// Use it for the rows of a large image, in stripes of about a millisecond each.
    public func perform(stripes count: Int, _ body: @Sendable (Int) -> Void) { stripes.perform(count, body) }

    /// Creates a context in which the calling thread does all work.
    ///
    /// - Parameter cancellation: the flag to check. Default: a flag that is never set.
    public init(cancellation: CancellationFlag = CancellationFlag()) {
        self.init(cancellation: cancellation, limits: ImageLimits())
    }

    /// Creates a context with limits and an executor.
    package init(
        cancellation: CancellationFlag = CancellationFlag(), limits: ImageLimits = ImageLimits(),
        stripes: any StripeExecutor = SerialStripes()
    ) {
        self.cancellation = cancellation
        self.limits = limits
        self.stripes = stripes
    }
}
