/// A processor: a value that changes images and keeps no state between them.
public protocol ImageProcessing: Sendable {
    /// Names the change and all its parameters. Processors with equal identifiers are one: their work
    /// is shared and their results have the same cache keys.
    var identifier: String { get }

    /// The size from which on the result no longer depends on more pixels, if there is one. Lets the decoder decode
    /// fewer pixels when the processor is the first one.
    var decodingTarget: TargetSize? { get }

    /// The changed image. May be called on any thread, on several at once; of an animation, for each frame.
    ///
    /// - Parameter context: how to find out that nobody waits any more, what may be allocated, and who helps.
    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer
}

extension ImageProcessing {
    /// All pixels are needed.
    public var decodingTarget: TargetSize? { nil }

    /// The changed image, made on this thread alone and within the default limits.
    ///
    /// - Parameter cancellation: asked now and then; once it is set, `process` may throw `CancellationError`.
    public func process(
        _ container: ImageContainer, cancellation: CancellationFlag = CancellationFlag()
    ) throws -> ImageContainer {
        try process(container, context: ImageProcessingContext(cancellation: cancellation))
    }
}
