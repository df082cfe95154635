public import FoundationEssentials

extension ImagePipeline {
    /// Loads a request's image for callers without `async`.
    ///
    /// - Parameters:
    ///   - executor: where `progress` and `completion` are called. Default: the main queue.
    ///   - progress: called when bytes have arrived; never after `completion`.
    ///   - completion: called exactly once, also after ``ImageTask/cancel()``.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, on executor: CallbackExecutor = .main,
        progress: (@Sendable (ImageTask.Progress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void
    ) -> ImageTask {
        let task = imageTask(with: request)
        task.call(on: executor, progress: progress, completion: completion)
        return task
    }

    /// Loads the image at an address; see ``loadImage(with:on:progress:completion:)-(ImageRequest,_,_,_)``.
    @discardableResult
    public func loadImage(
        with url: URL, on executor: CallbackExecutor = .main,
        completion: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void
    ) -> ImageTask {
        loadImage(with: ImageRequest(url: url), on: executor, completion: completion)
    }
}
