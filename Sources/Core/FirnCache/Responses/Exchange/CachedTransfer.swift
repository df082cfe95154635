import FirnSync

/// One request to a cache, served from the store, the loader below, or both in turn.
///
/// Invariant: `end` is delivered once, and nothing after it. Events of an abandoned loader transfer are ignored.
final class CachedTransfer: DataTransfer {
    /// The stored response that an exchange revalidates.
    struct Check: Sendable {
        let found: ResponseStore.Found
        let mayServeOnError: Bool
    }

    struct State {
        var handle: (any DataTransfer)?
        /// The number of the loader's current transfer.
        var number = 0
        var isCancelled = false
        var isPaused = false
        var priority: DataPriority?
        /// The undelivered events of the stored response.
        var queue: ArraySlice<DataEvent> = []
        var isDelivering = false
        var isOver = false
        var exchange = Exchange()
    }

    struct Exchange {
        var check: Check?
        /// The stored start of the body. Only the rest is requested.
        var begun: ResponseStore.Found?
        /// True if this is a revalidation.
        var isConditional = false
        /// The store's latest invalidation number when the request was sent.
        var invalidation: UInt64 = 0
        var requestTime: Int64 = 0
        var responseTime: Int64 = 0
        var head: DataResponse?
        /// True if the response is a 304 to the cache's own revalidation, which is not delivered.
        var isConfirmation = false
        var isToBeKept = false
        var chunks: [Data] = []
        var count = 0
        /// The number of body bytes delivered.
        var received = 0
        /// The final length of the body, if known only to the cache.
        var total: Int?
        /// The chunk that completes a body of a known length: delivered with the end, after the response is stored.
        /// A client may send its next request without waiting for the end.
        var lastChunk: Data?
    }

    let request: DataRequest
    /// The request as sent: stored responses may depend on fields that the loader adds.
    let sent: DataRequest
    let cache: HTTPCache
    let loader: any DataLoading
    private let receiver: @Sendable (DataEvent) -> Void
    let state = Locked(State())

    init(
        _ request: DataRequest, _ cache: HTTPCache, _ loader: any DataLoading,
        _ receiver: @escaping @Sendable (DataEvent) -> Void
    ) {
        self.request = request
        sent = loader.completed(request)
        self.cache = cache
        self.loader = loader
        self.receiver = receiver
    }

    func start() { cache.run { self.look() } }

    /// Revalidates a stored response, even if it is still usable.
    func startRevalidating(_ found: ResponseStore.Found) { open(Check(found: found, mayServeOnError: false)) }

    // MARK: Directives of the request

    func cancel() {
        update { $0.isCancelled = true }?.cancel()
        // Delivery from the store has no loader transfer to report the end.
        cache.run { self.deliverQueued() }
    }

    var metrics: TransferMetrics? { update { _ in }?.metrics }

    func pause() { update { $0.isPaused = true }?.pause() }

    func resume() {
        update { $0.isPaused = false }?.resume()
        if state.withLock({ !$0.queue.isEmpty }) { cache.run { self.deliverQueued() } }
    }

    func setPriority(_ priority: DataPriority) { update { $0.priority = priority }?.setPriority(priority) }

    /// Changes the state and returns the loader's transfer, to be called without the lock.
    private func update(_ change: (inout State) -> Void) -> (any DataTransfer)? {
        state.withLock { state in
            change(&state)
            return state.handle
        }
    }

    // MARK: Stored responses

    private func look() {
        let requiresCached = CacheDirectives(request.headers).has("only-if-cached")
        guard request.method == "GET" || request.method == "HEAD", let found = cache.store.find(sent) else {
            return requiresCached ? deliverAll(ServedResponse.nothing(request)) : open(nil)
        }
        let now = cache.moment
        guard let served = ServedResponse(found, for: request, cache.policy, at: now) else {
            return requiresCached ? deliverAll(ServedResponse.nothing(request)) : open(nil, completing: found)
        }
        switch cache.policy.use(of: found.response, for: sent, at: now) {
        case .serve:
            deliverAll(served.events)
        case .serveWhileRevalidating:
            cache.revalidate(found, request, by: loader)
            deliverAll(served.events)
        case .revalidate(let mayServeOnError):
            if requiresCached { return deliverAll(ServedResponse.nothing(request)) }
            open(Check(found: found, mayServeOnError: mayServeOnError))
        case .unusable: open(nil)
        }
    }

    func serve(_ found: ResponseStore.Found) {
        guard let served = ServedResponse(found, for: request, cache.policy, at: cache.moment) else { return open(nil) }
        deliverAll(served.events)
    }

    func deliverAll(_ events: [DataEvent]) {
        state.withLock { $0.queue = events[...] }
        deliverQueued()
    }

    /// Delivers queued events until the receiver pauses. One thread at a time.
    private func deliverQueued() {
        while let event = state.withLock({ (state: inout State) -> DataEvent? in
            guard !state.isDelivering, !state.isOver, !state.queue.isEmpty else { return nil }
            if state.isCancelled { state.queue = [.end(.cancelled)] }
            guard !state.isPaused || state.isCancelled else { return nil }
            state.isDelivering = true
            return state.queue.removeFirst()
        }) {
            deliver(event)
            state.withLock { $0.isDelivering = false }
        }
    }

    func deliver(_ event: DataEvent) {
        if case .end = event {
            let (isFirst, chunk) = state.withLock { state in
                defer {
                    state.isOver = true
                    state.handle = nil
                    state.exchange.lastChunk = nil
                }
                return (!state.isOver, state.exchange.lastChunk)
            }
            guard isFirst else { return }
            if let chunk { receiver(.chunk(chunk)) }
        }
        receiver(event)
    }
}
