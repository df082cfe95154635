package import FirnImage

/// The build of a pyramid: ``ImagePipeline/buildPyramid(for:progress:)``.
///
/// Tasks for the same image share the work. Dropping a task does not end the work; ``cancel()`` does.
package final class PyramidTask: Sendable {
    private let build: PyramidBuild
    private let subscription: Int

    /// - Returns: `nil` if the last task of the build was cancelled.
    init?(_ build: PyramidBuild) {
        guard let subscription = build.subscribe() else { return nil }
        self.build = build
        self.subscription = subscription
    }

    /// The number of image rows that are in tiles.
    package var progress: ImageTask.Progress { build.progress }

    /// The progress, as it changes. A slow reader misses steps. Ends with the build.
    package var progressUpdates: AsyncStream<ImageTask.Progress> { build.updates(for: subscription) }

    /// The complete pyramid. Cancelling the Swift task that waits for it cancels this task.
    ///
    /// - Throws: ``ImageLoadingError``; nothing of the pyramid is left then, and an older one of the same bytes stays.
    package var pyramid: TilePyramid {
        get async throws(ImageLoadingError) {
            let outcome = await withTaskCancellationHandler {
                await build.outcome(for: subscription)
            } onCancel: {
                cancel()
            }
            return try outcome.get()
        }
    }

    /// Ends this task at once, and the build if no other task needs it.
    package func cancel() { build.unsubscribe(subscription) }
}

/// A pyramid on disk: a large image as tiles, at full size and at each half of it.
package struct TilePyramid: Hashable, Sendable {
    /// The levels and their tiles, with columns and rows as stored in the image's file.
    package let shape: PyramidShape
    package let displaySize: PixelSize
    package let wasStored: Bool
}
