extension ImageTask {
    /// The number of received bytes, and the total.
    public struct Progress: Hashable, Sendable {
        /// Bytes that have arrived.
        public let completed: Int
        /// The length of the body, if the source stated it.
        public let total: Int?

        /// Creates a progress.
        public init(completed: Int, total: Int?) {
            self.completed = completed
            self.total = total
        }

        /// No bytes, and an unknown total.
        static let none = Progress(completed: 0, total: nil)

        /// From 0 to 1; 0 while the total is unknown.
        public var fraction: Double {
            guard let total, total > 0 else { return 0 }
            return min(1, Double(completed) / Double(total))
        }
    }

    /// An event of a task.
    public enum Event: Sendable {
        /// More bytes have arrived.
        case progress(Progress)
        /// A preview of the image.
        case preview(ImageResponse)
        /// The end: the image or the error. Comes exactly once and last.
        case finished(Result<ImageResponse, ImageLoadingError>)
    }

    /// The state of a task.
    public enum State: Sendable {
        /// The task has not ended.
        case running
        /// Ended by ``ImageTask/cancel()``.
        case cancelled
        /// Ended with an image or an error.
        case completed
    }
}
