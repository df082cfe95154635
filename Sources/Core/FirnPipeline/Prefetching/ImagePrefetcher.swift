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

    // Starting and ending items.

    /// Most items that one call looks up in the memory cache: about as many microseconds.
    private static let burst = 64

    /// Starts the items that may start.
    ///
    /// Order: one thread at a time. If an item ends while others are started, as a cached one does, that thread's loop
    /// starts the next one, without a nested call.
    func advance() {
        guard state.withLock({ $0.beginAdvancing() }) else { return }
        continueAdvancing()
    }

    private func continueAdvancing() {
        for _ in 0..<ImagePrefetcher.burst {
            guard let start = state.withLock({ $0.next() }) else { return }
            begin(start)
        }
        // Many items may be cached. The caller may be the drawing thread and must not be blocked.
        Task.detached { [weak self] in self?.continueAdvancing() }
    }

    private func begin(_ start: PrefetchState.Start) {
        guard let request = prepared(start) else { return ended(start.ticket, nil) }
        let task = pipeline.launch(request)
        let (isWanted, isPaused, priority) = state.withLock { state in
            let isWanted = state.queue.isRunning(start.ticket)
            if isWanted { state.running[start.ticket] = task }
            return (isWanted, state.queue.isPaused, state.priority)
        }
        guard isWanted else { return task.cancel() }
        // Both may have changed before the task was stored.
        if isPaused || priority != start.priority { updateTasks() }
        task.onEnd { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): finish(start.ticket, error)
            case .success(let response):
                guard let bytes = response.origin.proof else { return finish(start.ticket, nil) }
                // Order: the item ends once the data cache finds the bytes.
                bytes.whenStored { [weak self] ending in
                    self?.finish(start.ticket, ending.flatMap { ImagePrefetcher.error($0, start.request) })
                }
            }
        }
    }

    /// Gives the running tasks the pause and the priority of the prefetcher, after a change of them.
    ///
    /// Order: repeated after a concurrent change, so that the thread that changes the tasks last gives them the latest
    /// values.
    func updateTasks(after change: ((inout PrefetchState) -> Void)? = nil) {
        if let change {
            state.withLock { state in
                change(&state)
                state.changes &+= 1
            }
        }
        var known: Int?
        while true {
            let (tasks, isPaused, priority, changes) = state.withLock { state in
                (
                    known == state.changes ? [] : Array(state.running.values), state.queue.isPaused, state.priority,
                    state.changes
                )
            }
            if known == changes { return }
            known = changes
            for task in tasks {
                task.priority = priority
                task.isPaused = isPaused
            }
        }
    }

    private func finish(_ ticket: PrefetchState.Ticket, _ error: ImageLoadingError?) {
        ended(ticket, error)
        advance()
    }

    /// The reason why an item's bytes are not in the data cache; `nil` if they are.
    private static func error(_ result: StoreResult, _ request: ImageRequest) -> ImageLoadingError? {
        let (message, cause): (String, DataCachingError?)
        switch result {
        case .stored: return nil
        case .skipped: (message, cause) = ("not kept: its source, or the pipeline's delegate, does not allow it", nil)
        case .failed(let error): (message, cause) = ("not kept: \(error)", error)
        }
        return .init(.source, at: .loading, of: request, message, underlying: cause)
    }

    /// The request to load; `nil` if there is nothing to load.
    private func prepared(_ start: PrefetchState.Start) -> ImageRequest? {
        var request = pipeline.keyed(start.request)
        switch destination {
        case .memoryCache: if pipeline.cached(request) != nil { return nil }
        case .diskCache:
            guard pipeline.storesBytes(of: request) else { return nil }
            request = request.forBytes
            request.alter { $0.provesBytes = true }
        }
        if request.priority != start.priority { request.priority = start.priority }
        return request
    }

    private func ended(_ ticket: PrefetchState.Ticket, _ error: ImageLoadingError?) {
        guard let (request, listeners) = state.withLock({ $0.finish(ticket) }) else { return }
        for stream in listeners.streams { stream.yield((request, error)) }
        guard listeners.item != nil || listeners.all != nil else { return }
        executor.run {
            listeners.item?(request, error)
            listeners.all?()
        }
    }
}
