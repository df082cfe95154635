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

    /// Downloads the data of a request, of any length, into a file.
    ///
    /// The file has its name once it is complete; until then an older one remains, whose permissions, owner and
    /// attributes the new one gets. Peak memory does not depend on the length of a transfer of its own, and
    /// ``/FirnImage/ImageLimits/maximumBytes`` does not apply to it, except that of a network policy.
    ///
    /// The bytes so far are in `.NAME.firn-part` beside the file. If the server sends a strong validator, they stay
    /// after a failure, a cancellation and a killed process, and the next download to the same file requests the rest.
    /// A body that has changed meanwhile is downloaded completely. Network errors are retried by
    /// ``Configuration/retries``.
    ///
    /// A file, and a fresh entry of the data cache, is copied. If a condition of the request holds (status 304), the
    /// older file stays. If an image of the same resource is being loaded, the download writes the bytes of that
    /// transfer, which stay in memory until it ends, up to `maximumBytes`. It requests the rest itself if the load
    /// fails, for example at a limit. Otherwise, and always with a ``Delegate``, the download has a transfer of its
    /// own, whose bytes enter no cache.
    ///
    /// A load of the same resource that starts meanwhile reads these bytes instead of requesting them, and gives the
    /// transfer at least its priority. If the download ends early, the load requests the rest; if the load ends, the
    /// download goes on. The load has its own transfer while the download is paused, if the download continues an
    /// earlier one, and if the load revalidates stored bytes.
    ///
    /// The transfer takes a slot and has the priority of the request: see ``Scheduling``. So downloads of priority
    /// `low` yield to images, and many downloads of priority `normal` delay images of the same priority.
    ///
    /// - Parameters:
    ///   - file: a `file:` URL. Links are followed.
    ///   - progress: called when bytes were written, with all bytes in the file, on the thread that wrote them; never
    ///     after this has returned. Default: `nil`.
    /// - Returns: the response, or that of the last part (status 206); `nil` if the source has none, as for a file.
    /// - Throws: ``ImageLoadingError``. Its `underlying` is an ``/FirnImage/ImageError`` if the file could not be
    ///   written. The older file, or none, then remains. A cancelled wait throws ``ImageLoadingError/cancelled``.
    @discardableResult
    public func download(
        _ request: ImageRequest, to file: URL, progress: (@Sendable (ImageTask.Progress) -> Void)? = nil
    ) async throws(ImageLoadingError) -> DataResponse? {
        guard let path = file.localPath else {
            throw ImageLoadingError(
                .request, at: .request, of: request, "the target \(file.absoluteString) is not the URL of a local file")
        }
        let request = keyed(request.forBytes)
        if engine.shell.read({ $0.isClosed }) { throw .invalidated(request) }
        let download = FileDownload(request, to: path, progress)
        do {
            return try await engine.response(of: download)
        } catch let error as DataFileError {
            throw download.failure(error)
        } catch {
            if let error = ImageLoadingError(error) { throw error }
            if error is CancellationError { throw .cancelled(source: request.description) }
            throw ImageLoadingError(.pipeline, at: .loading, of: request, "\(error)")
        }
    }

    /// Downloads the data at an address into a file; see ``download(_:to:progress:)-(ImageRequest,_,_)``.
    @discardableResult
    public func download(
        _ url: URL, to file: URL, progress: (@Sendable (ImageTask.Progress) -> Void)? = nil
    ) async throws(ImageLoadingError) -> DataResponse? {
        try await download(ImageRequest(url: url), to: file, progress: progress)
    }
}
