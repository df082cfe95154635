/// A processor: a value that changes images and keeps no state between them.
public protocol ImageProcessing: Sendable {
    /// The name of the change with all its parameters. Processors with equal identifiers share their work and their
    /// cache keys.
    var identifier: String { get }

    /// The size beyond which more pixels do not change the result; `nil` if there is none. If the processor is the
    /// first one, the decoder decodes fewer pixels.
    var decodingTarget: TargetSize? { get }

    /// Returns the changed image. Called on any thread, concurrently; for an animation, with each frame.
    ///
    /// - Parameter context: the cancellation flag, the limits, and access to idle threads.
    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer
}

extension ImageProcessing {
    /// All pixels are needed.
    public var decodingTarget: TargetSize? { nil }

    /// Returns the changed image, computed on this thread alone with the default limits.
    ///
    /// - Parameter cancellation: checked between stripes; once it is set, `process` may throw `CancellationError`.
    public func process(
        _ container: ImageContainer, cancellation: CancellationFlag = CancellationFlag()
    ) throws -> ImageContainer {
        try process(container, context: ImageProcessingContext(cancellation: cancellation))
    }
}
