/// A processor for tests: it records its calls and can change the image, wait, or fail.
///
/// Copies share the recorder. Two processors with the same identifier are one processor to a pipeline, which then runs
/// only one of them; give each its own identifier.
public struct ScriptedProcessor: ImageProcessing {
    /// The sizes of the images to process.
    public let sizes = Recorder<PixelSize>()
    /// Names the processor.
    public let identifier: String
    private let change: @Sendable (ImageContainer) throws -> ImageContainer

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - identifier: names the processor, in cache keys too. Default: `scripted`.
    ///   - change: returns the changed image, or throws to fail. Default: returns the image as it is.
    public init(
        identifier: String = "scripted",
        _ change: @escaping @Sendable (ImageContainer) throws -> ImageContainer = { $0 }
    ) {
        self.identifier = identifier
        self.change = change
    }

    /// Keeps calls from returning until ``release()``. A cancelled call returns anyway.
    public func hold() { sizes.hold(true) }

    /// Lets calls return.
    public func release() { sizes.hold(false) }

    /// Records the call and applies the change.
    ///
    /// - Throws: what the change throws; `CancellationError` if the call is cancelled.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        let size = container.image.size
        sizes.start(size)
        let isCancelled = sizes.endsCancelled(context.cancellation)
        defer { sizes.end(size, isCancelled: isCancelled) }
        if isCancelled { throw CancellationError() }
        return try change(container)
    }
}
