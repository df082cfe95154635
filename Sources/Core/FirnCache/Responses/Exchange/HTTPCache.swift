import FirnSync

/// A cache per RFC 9111 for any content: a loader on top of another loader and a store of entries.
///
/// A stored response serves a GET or HEAD, with an `Age`, if the rules allow; if they require revalidation, a
/// conditional request is sent first. All other requests go to the loader below unchanged. The response is forwarded as
/// it arrives, and stored if ``HTTPCachePolicy`` allows it. Range requests are served from stored whole bodies and
/// parts; parts are joined and completed under a strong validator. An unsafe method invalidates the stored responses of
/// its address.
///
/// The loader below should deliver every status, follow no redirects and leave bodies encoded (see
/// ``/FirnHTTP/DataLoader/Configuration``); otherwise, the cache stores only the responses that it sees. A body to be
/// stored is held in memory until complete. A failing store causes misses, never failed loads.
public final class HTTPCache: DataLoading {
    /// The rules for storing and reusing responses.
    public let policy: HTTPCachePolicy
    /// The maximum length of a stored body, in bytes.
    public let bodyLimit: Int

    private let loader: any DataLoading
    package let store: ResponseStore
    let now: @Sendable () -> Duration
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// True if the loader below decodes content codings, so that stored bodies have none.
    let undoesCodings: Bool
    /// The keys of responses that are being revalidated in the background.
    private let checking = Locked<Set<String>>([])

    /// Creates a cache over a loader and a store.
    ///
    /// - Parameters:
    ///   - loader: the loader for requests without a usable stored response.
    ///   - store: the store of the responses, for the exclusive use of this cache.
    ///   - policy: the rules for storing and reusing responses.
    ///   - undoesCodings: whether `loader` decodes `Content-Encoding`.
    ///   - bodyLimit: maximum length of a stored body, in bytes. Default: 64 MiB, since bodies are held in memory until
    ///     complete.
    ///   - now: returns the time since 1970. Default: the system's clock.
    ///   - run: runs blocking work (reads and writes of the store) on a thread that may block, in any order.
    public convenience init(
        loader: any DataLoading, store: any DataCaching, policy: HTTPCachePolicy, undoesCodings: Bool,
        bodyLimit: Int = 64 << 20, now: (@Sendable () -> Duration)? = nil,
        run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.init(
            loader: loader, in: ResponseStore(cache: store), policy: policy, undoesCodings: undoesCodings,
            bodyLimit: bodyLimit, now: now, run: run)
    }

    package init(
        loader: any DataLoading, in store: ResponseStore, policy: HTTPCachePolicy, undoesCodings: Bool,
        bodyLimit: Int = 64 << 20, now: (@Sendable () -> Duration)? = nil,
        run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.loader = loader
        self.store = store
        self.policy = policy
        self.undoesCodings = undoesCodings
        self.bodyLimit = bodyLimit
        self.now = now ?? { .sinceEpoch() }
        self.run = run
    }

    /// Returns the request as the loader below sends it.
    public func completed(_ request: DataRequest) -> DataRequest { loader.completed(request) }

    /// Starts a request. The response comes from the store or from the loader below.
    ///
    /// With `only-if-cached` in `Cache-Control` and no usable stored response, the response has status 504 and no body.
    public func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer { load(request, by: loader, receive: receive) }

    /// Starts a request that another loader sends if the store cannot serve it.
    package func load(
        _ request: DataRequest, by loader: any DataLoading, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let transfer = CachedTransfer(request, self, loader, receive)
        transfer.start()
        return transfer
    }

    var moment: Int64 { now().nanoseconds }

    /// Revalidates a stored response in the background, unless a revalidation is already running.
    package func revalidate(_ found: ResponseStore.Found, _ request: DataRequest, by loader: any DataLoading) {
        guard checking.withLock({ $0.insert(found.key).inserted }) else { return }
        // A separate request for the whole body, without the caller's conditions.
        var whole = request
        whole.method = "GET"
        for name in ["Range", "If-Range", "If-None-Match", "If-Modified-Since"] { whole.headers[name] = nil }
        let transfer = CachedTransfer(whole, self, loader) { [self] event in
            if case .end = event { checking.withLock { _ = $0.remove(found.key) } }
        }
        transfer.startRevalidating(found)
    }

    /// Threads for blocking stores: more than a disk serves at once.
    private static let threads = WorkerQueue(count: 16)

    /// Runs blocking work on a thread that may block.
    package static let onThread: @Sendable (@escaping @Sendable () -> Void) -> Void = { threads.run($0) }
}
