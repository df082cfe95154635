import FirnImage

/// The building of a pyramid, which ``ImagePipeline/buildPyramid(for:)`` has begun.
///
/// Tasks for the same image share the work. Dropping a task does not end the work; ``cancel()`` does.
public final class PyramidTask: Sendable {
    /// How far the building is.
    public struct Progress: Hashable, Sendable {
        /// Rows of the image that are in tiles.
        public let completedRows: Int
        /// Rows of the image; 0 until it is known.
        public let totalRows: Int

        /// The completed part, from 0 to 1; 0 until the rows are known.
        public var fraction: Double { totalRows > 0 ? Double(completedRows) / Double(totalRows) : 0 }
    }

    private let build: PyramidBuild
    private let isCancelled = CancellationFlag()

    init(_ build: PyramidBuild) {
        self.build = build
        build.subscribe()
    }

    /// How far the building is.
    public var progress: Progress { build.progress }

    /// The progress, as it changes. Slow readers miss steps. Ends with the building.
    public var progressUpdates: AsyncStream<Progress> { build.updates() }

    /// The pyramid, once it is complete. Cancelling the waiting Swift task cancels this task.
    ///
    /// - Throws: ``ImageLoadingError``; nothing of the pyramid is left then, and an older one of the same bytes stays.
    public var pyramid: TilePyramid {
        get async throws(ImageLoadingError) {
            let outcome = await withTaskCancellationHandler {
                await build.outcome()
            } onCancel: {
                cancel()
            }
            return try outcome.get()
        }
    }

    /// Ends the building if no other task wants it.
    public func cancel() {
        guard !isCancelled.cancelOnce() else { return }
        build.unsubscribe()
    }
}
