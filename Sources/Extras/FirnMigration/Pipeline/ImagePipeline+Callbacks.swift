public import Foundation

// Nuke's closures: with a queue, and with progress as two numbers.
extension ImagePipeline {
    /// Loads a request's image for callers without `async`.
    ///
    /// - Parameters:
    ///   - queue: the queue on which both closures are called; `nil` (the default) for the main queue.
    ///   - progress: called with a preview or `nil`, the number of received bytes, and the expected number; 0 if it is
    ///     unknown.
    ///   - completion: called exactly once, unlike in Nuke also after ``/FirnPipeline/ImageTask/cancel()``.
    @_disfavoredOverload
    @discardableResult
    public func loadImage(
        with request: ImageRequest, queue: DispatchQueue? = nil,
        progress: (@Sendable (_ response: ImageResponse?, _ completed: Int64, _ total: Int64) -> Void)?,
        completion: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void
    ) -> ImageTask {
        let executor = queue.map { CallbackExecutor($0) } ?? .main
        let task = imageTask(with: request)
        task.call(on: executor) { event in
            switch event {
            case .progress(let value): progress?(nil, Int64(value.completed), Int64(value.total ?? 0))
            case .preview(let response):
                let value = task.currentProgress
                progress?(response, Int64(value.completed), Int64(value.total ?? 0))
            case .finished(let result): completion(result)
            }
        }
        return task
    }

    /// Loads the image of a URL for callers without `async`.
    @_disfavoredOverload
    @discardableResult
    public func loadImage(
        with url: URL, queue: DispatchQueue? = nil,
        progress: (@Sendable (_ response: ImageResponse?, _ completed: Int64, _ total: Int64) -> Void)?,
        completion: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void
    ) -> ImageTask {
        loadImage(with: ImageRequest(url: url), queue: queue, progress: progress, completion: completion)
    }

    /// Loads a request's bytes for callers without `async`.
    ///
    /// - Parameters:
    ///   - queue: the queue on which both closures are called; `nil` (the default) for the main queue.
    ///   - progress: called with the number of received bytes and the expected number; 0 if it is unknown.
    ///   - completion: called exactly once, unlike in Nuke also after ``/FirnPipeline/ImageTask/cancel()``.
    @_disfavoredOverload
    @discardableResult
    public func loadData(
        with request: ImageRequest, queue: DispatchQueue? = nil,
        progress: (@Sendable (_ completed: Int64, _ total: Int64) -> Void)?,
        completion: @escaping @Sendable (Result<(data: Data, response: DataResponse?), ImageLoadingError>) -> Void
    ) -> ImageTask {
        let executor = queue.map { CallbackExecutor($0) } ?? .main
        guard let progress else { return loadData(with: request, on: executor, completion: completion).work }
        let task = loadData(
            with: request, on: executor, progress: { progress(Int64($0.completed), Int64($0.total ?? 0)) },
            completion: completion)
        return task.work
    }

    /// Loads a request's bytes. The task is an `ImageTask`, as in Nuke.
    @_disfavoredOverload
    @discardableResult
    public func loadData(
        with request: ImageRequest,
        completion: @escaping @Sendable (Result<(data: Data, response: DataResponse?), ImageLoadingError>) -> Void
    ) -> ImageTask { loadData(with: request, queue: .main, completion: completion).work }

    /// Loads the bytes at an address. The task is an `ImageTask`, as in Nuke.
    @_disfavoredOverload
    @discardableResult
    public func loadData(
        with url: URL,
        completion: @escaping @Sendable (Result<(data: Data, response: DataResponse?), ImageLoadingError>) -> Void
    ) -> ImageTask { loadData(with: ImageRequest(url: url), queue: .main, completion: completion).work }
}

extension ImagePrefetcher {
    /// Called on the main actor when the last item has ended, with success or failure; not called if the last item is
    /// stopped.
    public var didComplete: (@MainActor @Sendable () -> Void)? {
        get { allDidComplete.map { call in { @MainActor in call() } } }
        set {
            guard let newValue else { return allDidComplete = nil }
            allDidComplete = { Task { @MainActor in newValue() } }
        }
    }
}

extension ImageLoadingError {
    /// The loader's own error, if this error is of the stage `loading`; `nil` if no loader was called, such as for an
    /// image that may come only from a cache.
    public var dataLoadingError: (any Error)? {
        guard stage == .loading else { return nil }
        return (underlying as? DataLoadingError)?.underlying ?? underlying
    }
}

extension ImagePipeline.Configuration {
    /// Creates the default configuration with a loader.
    public init(dataLoader: any DataLoading) {
        self.init()
        self.dataLoader = dataLoader
    }

    /// True if the bytes of an abandoned transfer are kept in memory, so that it can be resumed. Default: yes.
    ///
    /// For bytes on disk, see `partialDataCache`.
    public var isResumableDataEnabled: Bool {
        get { scheduling.partialBodyLimit > 0 }
        set {
            guard newValue != isResumableDataEnabled else { return }
            scheduling.partialBodyLimit = newValue ? ImagePipeline.Scheduling().partialBodyLimit : 0
        }
    }

    /// True if bursts of transfers that are started and cancelled at once are rate-limited; see
    /// ``/FirnPipeline/ImagePipeline/Scheduling/rateLimit``.
    public var isRateLimiterEnabled: Bool {
        get { scheduling.isRateLimiterEnabled }
        set { scheduling.isRateLimiterEnabled = newValue }
    }

    /// The maximum number of bytes of a file; `nil` for no limit.
    public var maximumResponseDataSize: Int? {
        get { limits.maximumBytes }
        set { limits.maximumBytes = max(0, newValue ?? .max) }
    }
}
