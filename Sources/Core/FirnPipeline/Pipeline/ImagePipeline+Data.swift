public import Dispatch
public import FoundationEssentials

extension ImagePipeline {
    /// Loads the data of a request as it is at its source, with the response.
    ///
    /// Returns the data-cache entry if there is one. Bytes that start like an image are stored there, and verified by
    /// their first decode. Size, processors and the memory cache are not used. Work is shared with requests for images
    /// of the same resource. Cancelling the awaiting Swift task ends the wait at once, and the work unless other tasks
    /// need it.
    public func data(for request: ImageRequest) async throws(ImageLoadingError) -> (Data, DataResponse?) {
        if Task.isCancelled { throw .cancelled(source: request.description) }
        return try await dataTask(with: request).response
    }

    /// Creates a task that loads the data of a request; see ``data(for:)-(ImageRequest)``. The task is running, or has
    /// ended, when this returns.
    public func dataTask(with request: ImageRequest) -> DataTask {
        DataTask(launch(keyed(request.forBytes)), for: request)
    }

    /// Creates a task that loads the data at an address.
    public func dataTask(with url: URL) -> DataTask { dataTask(with: ImageRequest(url: url)) }

    /// Returns whether the data cache may store a request's bytes.
    func storesBytes(of request: ImageRequest) -> Bool {
        request.options.writesDisk && engine.caches.dataCachePolicy != .storeEncodedImages
            && request.isKeptOnDisk && engine.caches.dataCache(for: request) != nil
    }

    /// Loads the data at an address; see ``data(for:)-(ImageRequest)``.
    public func data(for url: URL) async throws(ImageLoadingError) -> (Data, DataResponse?) {
        try await data(for: ImageRequest(url: url))
    }

    /// Loads a request's bytes for callers without `async`; see ``data(for:)-(ImageRequest)``.
    ///
    /// - Parameters:
    ///   - queue: the queue on which `progress` and `completion` are called. Default: the main queue.
    ///   - progress: called when bytes have arrived; never after `completion`.
    ///   - completion: called exactly once, also after ``DataTask/cancel()``.
    @discardableResult
    public func loadData(
        with request: ImageRequest, queue: DispatchQueue = .main,
        progress: (@Sendable (ImageTask.Progress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<(data: Data, response: DataResponse?), ImageLoadingError>) -> Void
    ) -> DataTask {
        loadData(with: request, on: CallbackExecutor(queue), progress: progress, completion: completion)
    }

    /// Loads the bytes at an address; see ``loadData(with:queue:progress:completion:)-(ImageRequest,_,_,_)``.
    @discardableResult
    public func loadData(
        with url: URL, queue: DispatchQueue = .main,
        completion: @escaping @Sendable (Result<(data: Data, response: DataResponse?), ImageLoadingError>) -> Void
    ) -> DataTask {
        loadData(with: ImageRequest(url: url), queue: queue, completion: completion)
    }

    /// Loads a request's bytes; the handlers are called on an executor.
    @discardableResult
    package func loadData(
        with request: ImageRequest, on executor: CallbackExecutor,
        progress: (@Sendable (ImageTask.Progress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<(data: Data, response: DataResponse?), ImageLoadingError>) -> Void
    ) -> DataTask {
        let task = dataTask(with: request)
        task.work.call(on: executor, progress: progress) { result in completion(result.flatMap { $0.loadedBytes }) }
        return task
    }

    /// Starts a rendering of the image of a request, whose size, region and processors are not used.
    ///
    /// Coalesced, queued, cancelled and counted like any other request. The result enters neither the memory cache nor
    /// the bitmap store.
    package func task(for request: ImageRequest, rendering: ImageRendering) -> ImageTask {
        launch(keyed(request.forBytes.changed { $0.rendering = Box(rendering) }))
    }
}
