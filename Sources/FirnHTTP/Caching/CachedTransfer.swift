import FirnData
import FirnSync
import FoundationEssentials

/// One request to a cache: answered by what is kept, or by the loader below, or by both one after the other.
///
/// Invariant: `end` is delivered once, and nothing follows it; events of a loader's transfer that was given up change nothing.
final class CachedTransfer: DataTransfer {
    /// What an exchange with the server is about.
    struct Check: Sendable {
        let found: ResponseStore.Found
        let mayServeOnError: Bool
    }

    struct State {
        var handle: (any DataTransfer)?
        /// Number of the loader's transfer in use.
        var number = 0
        var isCancelled = false
        var isPaused = false
        var priority: DataPriority?
        /// What is kept, once it is being handed out.
        var queue: ArraySlice<DataEvent> = []
        var isHandingOut = false
        var isOver = false
        /// The exchange under way.
        var exchange = Exchange()
    }

    /// What came of an exchange so far.
    struct Exchange {
        var check: Check?
        /// The first bytes of the body, which are kept; the server is asked for the rest.
        var begun: ResponseStore.Found?
        /// Whether the server was asked if what is kept still holds.
        var isConditional = false
        var requestTime: Int64 = 0
        var responseTime: Int64 = 0
        var head: DataResponse?
        /// A 304 to a question of ours, of which the asker sees nothing.
        var isConfirmation = false
        var isToBeKept = false
        var chunks: [Data] = []
        var count = 0
        /// Bytes of the body that the asker has.
        var received = 0
        /// Bytes that the body has to have in the end, where that is known here alone.
        var total: Int?
    }

    let request: DataRequest
    /// The request as it goes over the wire: kept answers may depend on what the loader adds.
    let sent: DataRequest
    let cache: HTTPCache
    private let receiver: @Sendable (DataEvent) -> Void
    let state = Locked(State())

    init(_ request: DataRequest, _ cache: HTTPCache, _ receiver: @escaping @Sendable (DataEvent) -> Void) {
        self.request = request
        sent = cache.loader.completed(request)
        self.cache = cache
        self.receiver = receiver
    }

    func start() { cache.run { self.look() } }

    /// Checks a kept answer, whatever it could still be used for.
    func startRevalidating(_ found: ResponseStore.Found) { open(Check(found: found, mayServeOnError: false)) }

    // MARK: What the asker wants

    func cancel() {
        let handle = state.withLock { state in
            state.isCancelled = true
            return state.handle
        }
        handle?.cancel()
        // What is being handed out has no transfer that would end.
        cache.run { self.handOut() }
    }

    var metrics: TransferMetrics? { state.withLock { $0.handle }?.metrics }

    func pause() {
        state.withLock { state in
            state.isPaused = true
            return state.handle
        }?.pause()
    }

    func resume() {
        let (handle, hasMore) = state.withLock { state in
            state.isPaused = false
            return (state.handle, !state.queue.isEmpty)
        }
        handle?.resume()
        if hasMore { cache.run { self.handOut() } }
    }

    func setPriority(_ priority: DataPriority) {
        state.withLock { state in
            state.priority = priority
            return state.handle
        }?.setPriority(priority)
    }

    // MARK: What is kept

    private func look() {
        let asksForCached = CacheDirectives(request.headers).has("only-if-cached")
        guard request.method == "GET" || request.method == "HEAD", let found = cache.store.find(sent) else {
            return asksForCached ? handOut(ServedResponse.nothing(request)) : open(nil)
        }
        let now = cache.moment
        guard let answer = ServedResponse(found, for: request, cache.policy, at: now) else {
            return asksForCached ? handOut(ServedResponse.nothing(request)) : open(nil, completing: found)
        }
        switch cache.policy.use(of: found.response, for: sent, at: now) {
        case .serve:
            cache.count { $0.hits += 1 }
            handOut(answer.events)
        case .serveWhileRevalidating:
            cache.count { $0.staleHits += 1 }
            // A request of its own: whole, and without the asker's conditions.
            var whole = request
            whole.method = "GET"
            for name in ["Range", "If-Range", "If-None-Match", "If-Modified-Since"] { whole.headers[name] = nil }
            cache.revalidate(found, whole)
            handOut(answer.events)
        case .revalidate(let mayServeOnError):
            if asksForCached { return handOut(ServedResponse.nothing(request)) }
            open(Check(found: found, mayServeOnError: mayServeOnError))
        case .unusable: open(nil)
        }
    }

    /// Hands a kept answer out.
    func serve(_ found: ResponseStore.Found) {
        guard let answer = ServedResponse(found, for: request, cache.policy, at: cache.moment) else { return open(nil) }
        handOut(answer.events)
    }

    func handOut(_ events: [DataEvent]) {
        state.withLock { $0.queue = events[...] }
        handOut()
    }

    /// Delivers what waits, as far as the asker takes it. One thread at a time.
    private func handOut() {
        while let event = state.withLock({ (state: inout State) -> DataEvent? in
            guard !state.isHandingOut, !state.isOver, !state.queue.isEmpty else { return nil }
            if state.isCancelled { state.queue = [.end(DataLoadingError(.cancelled, "the transfer was cancelled"))] }
            guard !state.isPaused || state.isCancelled else { return nil }
            state.isHandingOut = true
            return state.queue.removeFirst()
        }) {
            deliver(event)
            state.withLock { $0.isHandingOut = false }
        }
    }

    func deliver(_ event: DataEvent) {
        if case .end = event {
            let isFirst = state.withLock { state in
                defer {
                    state.isOver = true
                    state.handle = nil
                }
                return !state.isOver
            }
            guard isFirst else { return }
        }
        receiver(event)
    }
}
