public import Dispatch
@_exported public import FirnCache
@_exported public import FirnImage
import FirnSync
public import FoundationEssentials

/// Loads images: from caches, files and the network, decoded and processed in the background.
///
/// Requests for the same image share download, decode and processors. All calls return at once, on any thread.
///
/// ```swift
/// let image = try await ImagePipeline.shared.image(for: "https://example.org/photo.jpg")
/// ```
public final class ImagePipeline: Sendable {
    /// The error of a load that has no image.
    public typealias Error = ImageLoadingError

    /// The configuration that the pipeline was created with.
    public let configuration: Configuration
    let engine: Engine
    /// The memory cache, or one that is always empty. Not optional: a call to the value of an optional copies it, and
    /// all threads would count references of the cache.
    private let imageCache: any ImageCaching
    private let caches: PipelineCaches
    private let link: DelegateLink?
    /// True if the engine closes with this object; false for a stand-in of a pipeline that is gone.
    private let isOwner: Bool

    /// Creates a pipeline from `configuration`. Its threads start with the first request.
    ///
    /// - Parameter delegate: chooses parts for each request and receives the events of tasks. The pipeline retains it.
    ///   Default: `nil`, which costs nothing.
    public init(configuration: Configuration, delegate: (any Delegate)? = nil) {
        let configuration = configuration.connected
        self.configuration = configuration
        link = delegate.map { DelegateLink($0, configuration) }
        isOwner = true
        imageCache = configuration.imageCache ?? NoImages()
        engine = Engine(configuration, choices: link, account: configuration.memoryBudget?.openDecoding())
        caches = engine.caches
        link?.connect(self, engine)
    }

    /// Creates a stand-in with the same parts. It accepts no requests if `engine` is nil.
    init(_ configuration: Configuration, sharing engine: Engine?, _ link: DelegateLink) {
        self.configuration = configuration
        self.link = link
        isOwner = engine == nil
        imageCache = configuration.imageCache ?? NoImages()
        self.engine = engine ?? Engine(configuration)
        caches = self.engine.caches
        if engine == nil { self.engine.shell.close() }
    }

    deinit {
        guard isOwner else { return }
        // No caller could resume suspended work any more.
        if scheduling.isSuspended || !scheduling.suspendedStages.isEmpty {
            engine.changeScheduling { ($0.isSuspended, $0.suspendedStages) = (false, []) }
        }
        engine.shell.close()
    }

    // MARK: Loading

    /// Loads the image of a request.
    ///
    /// An image in the memory cache is returned without suspending or leaving the caller's thread. Cancelling the
    /// awaiting Swift task ends the wait at once, and the work unless other tasks need it.
    ///
    /// Errors are typed: in a `catch` of a function, `error` is an ``ImageLoadingError``. In a closure of several
    /// statements Swift infers `any Error` instead, and `error.fault` does not compile there. Convert the error with
    /// ``ImageLoadingError/init(_:)``, or write `do throws(ImageLoadingError)`.
    ///
    /// - Throws: ``ImageLoadingError``. A cancelled wait throws ``ImageLoadingError/cancelled``, never
    ///   `CancellationError`. A failure leaves the caches unchanged, except that an entry of the data cache that could
    ///   not be decoded is removed.
    public func image(for request: ImageRequest) async throws(ImageLoadingError) -> Bitmap {
        // Separate, so that without a delegate a hit does not copy the request.
        if link == nil, let image = cachedBitmap(request) { return image }
        let request = keyed(request)
        if link != nil, let image = cachedBitmap(request) { return image }
        if Task.isCancelled { throw .cancelled(source: request.description) }
        return try await launch(request).image
    }

    /// Loads the image at an address: `pipeline.image(for: url, targetSize: 256)`.
    ///
    /// - Parameters:
    ///   - processors: the processors of the request. Default: none.
    ///   - targetSize: the ``ImageRequest/targetSize`` of the request. Default: `nil`, all pixels.
    public func image(
        for url: URL, processors: [any ImageProcessing] = [], targetSize: TargetSize? = nil
    ) async throws(ImageLoadingError) -> Bitmap {
        try await image(for: ImageRequest(url: url, processors: processors, targetSize: targetSize))
    }

    /// Loads the image at an address; see ``image(for:processors:targetSize:)-(URL,_,_)``.
    public func image(
        for url: String, processors: [any ImageProcessing] = [], targetSize: TargetSize? = nil
    ) async throws(ImageLoadingError) -> Bitmap {
        try await image(for: ImageRequest(url: url, processors: processors, targetSize: targetSize))
    }

    /// Creates a task that loads the image of a request. The task is running, or has ended, when this returns.
    public func imageTask(with request: ImageRequest) -> ImageTask {
        if link == nil { return task(for: request) }
        return task(for: keyed(request))
    }

    @inline(__always)
    private func task(for request: ImageRequest) -> ImageTask {
        guard let container = lookUp(request) else { return launch(request) }
        guard isHit(container, request) else { return launch(request, showing: container.isPreview ? container : nil) }
        let task = ImageTask(request: request, owner: engine)
        link?.created(task)
        task.end(.success(ImageResponse(container: container, request: request, cacheType: .memory)))
        return task
    }

    /// Creates a task that loads the image at an address.
    public func imageTask(with url: URL) -> ImageTask { imageTask(with: ImageRequest(url: url)) }

    /// Creates a task that loads the image at an address.
    public func imageTask(with url: String) -> ImageTask { imageTask(with: ImageRequest(url: url)) }

    // MARK: State

    /// Returns the image of a request if the memory cache has it and the request may read it. Never returns a preview.
    public func cachedImage(for request: ImageRequest) -> Bitmap? {
        link == nil ? cachedBitmap(request) : cachedBitmap(keyed(request))
    }

    /// Returns the image at an address in full size, if the memory cache has it.
    public func cachedImage(for url: URL) -> Bitmap? { cachedImage(for: ImageRequest(url: url)) }

    /// The counters of the work so far.
    package var statistics: PipelineStatistics { engine.statistics }
    /// The number of critical sections of the job table so far, for measurements.
    package var tableSections: Int { engine.shell.read { $0.sections } }

    /// Waits until all pending writes to the disk caches are done.
    ///
    /// Most programs need no call: `exit` waits for the pending writes of all pipelines, for at most 250 ms.
    public func flush() async { await caches.pending.flush() }

    /// Cancels all running tasks and downloads, each exactly once, and accepts no more requests: later ones fail with
    /// fault `pipeline`, unless the memory cache has their image. Data that were loaded before are still written to
    /// disk.
    public func invalidate() { engine.invalidate() }

    /// The request under the delegate's key, if it has one.
    @inline(__always)
    func keyed(_ request: ImageRequest) -> ImageRequest { link == nil ? request : link?.keyed(request) ?? request }

    /// The image of a request in the memory cache; never a preview.
    @inline(__always)
    func cached(_ request: ImageRequest) -> ImageContainer? {
        guard let found = lookUp(request), isHit(found, request) else { return nil }
        return found
    }

    /// The bitmap alone, since a container is large to copy.
    private func cachedBitmap(_ request: ImageRequest) -> Bitmap? { cached(request)?.image }

    /// The memory cache's image for a request, which may be a preview.
    @inline(__always)
    func lookUp(_ request: ImageRequest) -> ImageContainer? {
        guard request.readsMemory else { return nil }
        // Separate, so that without a delegate a hit retains nothing but the image.
        if link == nil { return request.storage.image(in: imageCache) }
        return link?.imageCache(for: request)?[request.imageCacheKey]
    }

    /// Returns whether an image of the memory cache is the result of a request. If so, counts a hit.
    @inline(__always)
    private func isHit(_ found: ImageContainer, _ request: ImageRequest) -> Bool {
        guard !found.isPreview, caches.isCurrent(found, of: request) else { return false }
        caches.memoryHits.count()
        caches.emitter.emit(.memoryHit(request))
        return true
    }

    /// - Parameter preview: the preview in the memory cache, shown until the image is available.
    func launch(_ request: ImageRequest, showing preview: ImageContainer? = nil) -> ImageTask {
        let task = ImageTask(request: request, owner: engine, number: engine.taskNumber())
        if task.number != 0 { caches.emitter.emit(.taskStarted(task.number, request)) }
        if let preview {
            task.pass(.preview(ImageResponse(ImageResponse.Origin(preview, nil, .memory), for: request)))
        }
        guard let link else {
            engine.completion.start(task)
            return task
        }
        link.created(task)
        link.delegate.imageTaskDidStart(task, pipeline: self)
        engine.completion.start(task, isKnown: true)
        // The delegate subscribed before there was a transfer, which has to report every chunk from now on.
        if let progress = engine.progress(of: task) { task.pass(.progress(progress)) }
        return task
    }

    /// Tells the pipeline that the application is no longer visible: its memory cache drops a part of its images
    /// (``/FirnImage/ImageCaching/didEnterBackground()``), and the buffers of freed images go back to the system.
    ///
    /// Keeps images that views hold, running work, and everything on disk. It can be called any number of times.
    /// `FirnGTK` calls it when all windows are minimized, suspended or hidden. It does not reach memory caches that a
    /// delegate chooses.
    public func didEnterBackground() {
        configuration.imageCache?.didEnterBackground()
        PixelMappings.trim()
    }

    /// Loads a request's image for callers without `async`.
    ///
    /// - Parameters:
    ///   - queue: the queue on which `progress` and `completion` are called. Default: the main queue, which is the main
    ///     actor's.
    ///   - progress: called when bytes have arrived; never after `completion`.
    ///   - completion: called exactly once, also after ``ImageTask/cancel()``.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, queue: DispatchQueue = .main,
        progress: (@Sendable (ImageTask.Progress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void
    ) -> ImageTask {
        loadImage(with: request, on: CallbackExecutor(queue), progress: progress, completion: completion)
    }

    /// Loads the image at an address; see ``loadImage(with:queue:progress:completion:)-(ImageRequest,_,_,_)``.
    @discardableResult
    public func loadImage(
        with url: URL, queue: DispatchQueue = .main,
        completion: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void
    ) -> ImageTask {
        loadImage(with: ImageRequest(url: url), queue: queue, completion: completion)
    }

    /// Loads a request's image; the handlers are called on an executor.
    @discardableResult
    package func loadImage(
        with request: ImageRequest, on executor: CallbackExecutor,
        progress: (@Sendable (ImageTask.Progress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void
    ) -> ImageTask {
        let task = imageTask(with: request)
        task.call(on: executor, progress: progress, completion: completion)
        return task
    }

    // MARK: The source of a loaded image, for decoding more of it than was requested

    /// Returns the decoder of content that starts with `head`, chosen as for the load of `response`; `nil` if no
    /// decoder recognizes it.
    package func decoder(of head: Data, for response: ImageResponse) -> (any ImageDecoding)? {
        engine.decoders.decoder(
            head, response.dataResponse, isFromDisk: response.cacheType == .disk, for: response.request)
    }

    /// Opens the local file that `response` was decoded from. Returns `nil` if it was not a file, or if the file has
    /// changed or is gone.
    package func openFile(of response: ImageResponse) -> OpenedFile? {
        guard let path = response.request.identities.path, let version = response.container.sourceVersion,
            let file = try? configuration.files.open(path), SourceVersion(file.status) == version
        else { return nil }
        return file
    }

    /// Forgets all recent failures: the next request for any of their addresses is sent.
    ///
    /// For one address, a request with ``ImageRequest/Options/reloadIgnoringCachedData`` does the same.
    public func forgetFailures() { engine.failures?.removeAll() }

    /// Forgets the recent failure of a request, so that a retry is sent.
    public func forgetFailure(of request: ImageRequest) {
        if let sent = keyed(request).dataRequest { engine.failures?.forget(sent) }
    }

    /// Returns the current state of the pipeline. Visits every job: for diagnosis, not for every frame.
    public func snapshot() async -> PipelineSnapshot { engine.snapshot(usage: configuration.memoryBudget?.usage) }

    // MARK: Shown images

    /// Returns whether a view that shows the image of `response` would get the same image from another load of
    /// `request`: the image is fresh, its file is unchanged, and the memory cache has no other image in its place.
    ///
    /// Costs one lookup in the memory cache, and one system call for the image of a file.
    package func isCurrent(_ response: ImageResponse, for request: ImageRequest) -> Bool {
        let shown = response.container
        guard caches.isCurrent(shown, of: request) else { return false }
        guard !request.options.contains(.disableMemoryCacheReads),
            let cached = caches.imageCache(for: response.request)?[response.request.imageCacheKey],
            !cached.isPreview
        else { return true }
        // Both share their pixels in memory.
        return cached.image.withUnsafeBytes { $0.baseAddress } == shown.image.withUnsafeBytes { $0.baseAddress }
    }

    /// The stale image of a request in the memory cache, at any size, as a preview; `nil` if there is none or it must
    /// not be shown.
    package func staleImage(for request: ImageRequest) -> ImageResponse? {
        let request = keyed(request)
        let route = MemoryRoute(of: request, in: caches)
        guard route.isPreviewStale, let container = route.preview else { return nil }
        return ImageResponse(ImageResponse.Origin(container, nil, .memory, isStale: true), for: request)
    }
}

/// The memory cache of a pipeline that has none.
private struct NoImages: ImageCaching {
    subscript(key: ImageCacheKey) -> ImageContainer? {
        get { nil }
        nonmutating set {}
    }

    func removeAll() {}
}
