import FirnSync
public import FoundationEssentials

/// Loads images before they are needed, a few at a time and behind everything that is visible.
///
/// Items are loaded in the order of their requests, and equal ones once. If an item becomes visible in the meantime,
/// the view's request joins it and gives it the priority of the view. Releasing the prefetcher stops all its items.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(pipeline: pipeline)
/// prefetcher.startPrefetching(with: rowsToCome.map(\.url))
/// prefetcher.stopPrefetching(with: rowsGone.map(\.url))
/// ```
public final class ImagePrefetcher: Sendable {
    /// The cache that prefetched images are loaded into.
    public enum Destination: Sendable {
        /// Loads, decodes and processes images into the memory cache, and stores their data in the data cache, if there
        /// is one.
        case memoryCache
        /// Loads only data, into the data cache. Skips requests for files, and requests that may not write the data
        /// cache.
        ///
        /// Loaded bytes are decoded once at the prefetcher's priority (of an animation, the first frame), and the
        /// pixels are dropped. So everything stored is known to be an image, which matters where there is no network to
        /// load it again. Other bytes are not stored, and their item fails with fault `data`. Bytes that are already in
        /// the data cache are neither loaded nor decoded.
        case diskCache
    }

    let pipeline: ImagePipeline
    let destination: Destination
    let executor: CallbackExecutor
    let state: Locked<PrefetchState>

    /// Creates a prefetcher of a pipeline.
    ///
    /// - Parameters:
    ///   - destination: where images go. Default: the memory cache.
    ///   - maxConcurrentRequestCount: the number of items that load at once. Default: 2, so that a visible image finds
    ///     slots and bandwidth.
    public convenience init(
        pipeline: ImagePipeline, destination: Destination = .memoryCache, maxConcurrentRequestCount: Int = 2
    ) {
        self.init(
            pipeline: pipeline, destination: destination, maxConcurrentRequestCount: maxConcurrentRequestCount,
            on: .main)
    }

    /// Creates a prefetcher whose closures are called on an executor.
    package init(
        pipeline: ImagePipeline, destination: Destination = .memoryCache, maxConcurrentRequestCount: Int = 2,
        on executor: CallbackExecutor
    ) {
        self.pipeline = pipeline
        self.destination = destination
        self.executor = executor
        state = Locked(PrefetchState(limit: maxConcurrentRequestCount))
    }

    deinit {
        // No other reference to the prefetcher is left.
        let (tasks, streams) = state.withLock { state in
            (Array(state.running.values), Array(state.streams.values))
        }
        for task in tasks { task.cancel() }
        for stream in streams { stream.finish() }
    }

    // MARK: Items

    /// Starts prefetching images, after those requested before. Returns at once; never blocks.
    ///
    /// - Parameter requests: the requests of the images. Their own ``ImageRequest/priority`` is ignored.
    public func startPrefetching(with requests: [ImageRequest]) {
        state.withLock { state in
            state.queue.reserve(requests.count)
            for request in requests { state.queue.add(PrefetchKey(request, for: destination)) }
        }
        advance()
    }

    /// Starts prefetching the images at addresses; see ``startPrefetching(with:)-([ImageRequest])``.
    public func startPrefetching(with urls: [URL]) { startPrefetching(with: urls.map { ImageRequest(url: $0) }) }

    /// Stops prefetching of requests; running ones are cancelled, unless other tasks need them. They get no completion.
    public func stopPrefetching(with requests: [ImageRequest]) {
        let stopped = state.withLock { state in
            requests.compactMap { request in
                let ticket = state.queue.remove(PrefetchKey(request, for: destination))
                return ticket.flatMap { state.running.removeValue(forKey: $0) }
            }
        }
        for task in stopped { task.cancel() }
        advance()
    }

    /// Stops prefetching of the images at addresses; see ``stopPrefetching(with:)-([ImageRequest])``.
    public func stopPrefetching(with urls: [URL]) { stopPrefetching(with: urls.map { ImageRequest(url: $0) }) }

    /// Stops prefetching of all requests.
    public func stopPrefetching() {
        let stopped = state.withLock { state in
            state.queue.removeAll()
            defer { state.running = [:] }
            return Array(state.running.values)
        }
        for task in stopped { task.cancel() }
    }

    // MARK: Settings

    /// True if prefetching is paused: nothing starts, and running transfers wait.
    public var isPaused: Bool {
        get { state.withLock { $0.queue.isPaused } }
        set {
            updateTasks { $0.queue.isPaused = newValue }
            if !newValue { advance() }
        }
    }

    /// The priority of prefetching. A change applies at once, also to running loads. Default: `low`.
    public var priority: ImageRequest.Priority {
        get { state.withLock { $0.priority } }
        set { updateTasks { $0.priority = newValue } }
    }

    // MARK: Results

    /// Every item that ends from now on, except stopped ones: its request, and the reason if it failed. The stream
    /// buffers without limit and ends with the prefetcher.
    ///
    /// With ``Destination/diskCache``, the data cache finds a succeeded item from now on, and an item whose source or
    /// delegate forbids storing has failed. An item waits for its store while storing is suspended.
    public var completions: AsyncStream<(request: ImageRequest, error: ImageLoadingError?)> {
        let (stream, continuation) = AsyncStream.makeStream(of: PrefetchState.Completion.self)
        let number = state.withLock { $0.add(continuation) }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.streams.removeValue(forKey: number) }
        }
        return stream
    }

    /// Called when the last item has ended, unless it is stopped.
    package var allDidComplete: (@Sendable () -> Void)? {
        get { state.withLock { $0.allDidComplete } }
        set { state.withLock { $0.allDidComplete = newValue } }
    }

    /// Called for every item that ends, like ``completions``.
    package var itemDidComplete: (@Sendable (_ request: ImageRequest, _ error: ImageLoadingError?) -> Void)? {
        get { state.withLock { $0.itemDidComplete } }
        set { state.withLock { $0.itemDidComplete = newValue } }
    }
}
