public import FirnImage

extension ImageProcessors {
    /// A change that a closure makes.
    public struct Anonymous: ImageProcessing {
        /// Names the change.
        public let identifier: String
        private let change: @Sendable (Bitmap) throws -> Bitmap

        /// Makes a processor out of `change`.
        ///
        /// - Parameters:
        ///   - id: names what `change` does, with all that it depends on: results are shared and cached under it.
        ///   - change: called on any thread, on several at once.
        public init(id: String, _ change: @escaping @Sendable (Bitmap) throws -> Bitmap) {
            identifier = id
            self.change = change
        }

        /// The image that the closure makes of `container`'s.
        ///
        /// - Throws: what the closure throws; `CancellationError` if it was cancelled before it began.
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
