import FirnImage

/// The build of a pyramid: ``ImagePipeline/buildPyramid(for:progress:)``.
///
/// Tasks for the same image share the work. Dropping a task does not end the work; ``cancel()`` does.
package final class PyramidTask: Sendable {
    private let build: PyramidBuild
    private let isCancelled = CancellationFlag()

    init(_ build: PyramidBuild) {
        self.build = build
        build.subscribe()
    }

    /// The rows of the image that are in tiles.
    package var progress: ImageTask.Progress { build.progress }

    /// The progress, as it changes. Slow readers miss steps. Ends with the building.
    package var progressUpdates: AsyncStream<ImageTask.Progress> { build.updates() }

    /// The pyramid, once it is complete. Cancelling the waiting Swift task cancels this task.
    ///
    /// - Throws: ``ImageLoadingError``; nothing of the pyramid is left then, and an older one of the same bytes stays.
    package var pyramid: TilePyramid {
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
    package func cancel() {
        guard !isCancelled.cancelOnce() else { return }
        build.unsubscribe()
    }
}
