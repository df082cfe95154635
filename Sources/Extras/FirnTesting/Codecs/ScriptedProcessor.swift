public import FirnImage

/// A processor for tests: it counts its calls and can change the image, wait, or fail.
///
/// Copies share the record. Two processors with the same identifier are one processor to a pipeline, which then runs
/// only one of them; give each its own identifier.
public struct ScriptedProcessor: ImageProcessing {
    /// The calls so far.
    public struct Record: Sendable {
        /// Sizes of the images that were to be processed, in the order of the calls.
        public internal(set) var sizes: [PixelSize] = []
        /// Calls that ended because they were cancelled.
        public internal(set) var cancelled = 0
    }

    /// Names the processor.
    public let identifier: String
    private let change: @Sendable (ImageContainer) throws -> ImageContainer
    private let state = Watched(HeldCalls(record: Record()))

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

    /// The calls so far.
    public var record: Record { state.value.record }

    /// Waits until the record satisfies a condition, and returns it as it then was.
    ///
    /// The condition must not use the processor.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable (Record) -> Bool) async -> Record {
        await state.wait { isReached($0.record) }.record
    }

    /// Keeps calls from returning until ``release()``. A cancelled call returns anyway.
    public func hold() { state.update { $0.isHeld = true } }

    /// Lets calls return.
    public func release() { state.update { $0.isHeld = false } }

    /// Records the call and applies the change.
    ///
    /// - Throws: what the change throws; `CancellationError` if the call is cancelled.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        state.update { $0.record.sizes.append(container.image.size) }
        if state.endsCancelled(context.cancellation, counting: \.cancelled) { throw CancellationError() }
        return try change(container)
    }
}
