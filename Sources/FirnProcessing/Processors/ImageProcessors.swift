public import FirnImage

/// The processors that come with Firn.
public enum ImageProcessors {}

extension ImageProcessors {
    /// Runs a closure on an image.
    public struct Anonymous: ImageProcessing {
        /// The identifier, under which results are shared and cached.
        public let identifier: String
        private let change: @Sendable (Bitmap) throws -> Bitmap

        /// Creates a processor that runs `change`.
        ///
        /// - Parameters:
        ///   - id: identifies what `change` does and all that it depends on: results are shared and cached under it.
        ///   - change: returns the new image; may be called on any thread, on several at once.
        public init(id: String, _ change: @escaping @Sendable (Bitmap) throws -> Bitmap) {
            identifier = id
            self.change = change
        }

        /// Returns the image that the closure makes of the image in `container`.
        ///
        /// - Throws: what the closure throws; `CancellationError` if the task was cancelled before the closure ran.
        public func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer {
            if context.cancellation.isCancelled { throw CancellationError() }
            var container = container
            container.image = try change(container.image)
            return container
        }
    }
}
