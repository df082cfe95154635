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
        var times = ResponseTimes()
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

    // MARK: Requests to the server, and their responses

    /// Sends a request to the loader below: for the response, a revalidation, or the rest of a partly stored response.
    func open(_ check: Check?, completing found: ResponseStore.Found? = nil) {
        // Connection fields of the caller's request do not apply to this connection.
        var next = request
        next.headers = ConnectionFields.removed(from: request.headers)
        let moment = cache.moment
        let missing = found.flatMap { StoredPart.request(completing: $0.response, count: $0.data.count, next) }
        var isConditional = false
        if let missing {
            next = missing
        } else if let check, request.method == "GET" {
            let question = cache.policy.check(check.found.response, for: next, at: moment)
            isConditional = question != next
            next = question
        }
        let invalidation = cache.store.latestInvalidation
        let number: Int? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.number += 1
            state.handle = nil
            state.exchange = Exchange(
                check: check, begun: missing == nil ? nil : found, isConditional: isConditional,
                invalidation: invalidation, times: ResponseTimes(requested: moment))
            return state.number
        }
        guard let number else {
            return deliver(.end(.cancelled))
        }
        let handle = loader.startLoading(next) { self.receive($0, number) }
        let (isUseless, isPaused, priority) = state.withLock { state in
            guard state.number == number, !state.isOver else { return (true, false, nil as DataPriority?) }
            state.handle = handle
            return (state.isCancelled, state.isPaused, state.priority)
        }
        if isUseless { return handle.cancel() }
        if let priority { handle.setPriority(priority) }
        if isPaused { handle.pause() }
    }

    // MARK: Directives of the response

    private func receive(_ event: DataEvent, _ number: Int) {
        switch event {
        case .response(let response): responded(response, number)
        case .chunk(let data): received(data, number)
        case .end(nil): finished(number)
        case .end(let error?): failed(error, number)
        }
    }

    /// The step after the head of a response.
    private enum Next {
        case nothing
        case deliver(DataResponse, first: Data?)
        /// Cancels the transfer and serves a stored response, or requests the whole one.
        case again(serving: ResponseStore.Found?, (any DataTransfer)?)
    }

    private func responded(_ response: DataResponse, _ number: Int) {
        let moment = cache.moment
        let next: Next = state.withLock { state in
            guard state.number == number else { return .nothing }
            state.exchange.head = response
            state.exchange.times.responded = moment
            let status = response.status ?? 200
            if state.exchange.isConditional, status == 304 {
                state.exchange.isConfirmation = true
                return .nothing
            }
            if state.exchange.begun != nil, status == 206 || status == 416 { return complete(response, &state) }
            if let check = state.exchange.check, check.mayServeOnError, ResponseStatus.isServerFailure(status) {
                state.number += 1
                return .again(serving: check.found, state.handle.take())
            }
            state.exchange.isToBeKept = cache.policy.mayStore(stored(response, state.exchange), to: self.sent)
            return .deliver(response, first: nil)
        }
        switch next {
        case .nothing: break
        case .deliver(var response, let first):
            response.headers = ConnectionFields.removed(from: response.headers)
            deliver(.response(response))
            if let first { deliver(.chunk(first)) }
        case .again(let found, let handle):
            handle?.cancel()
            if let found { serve(found) } else { open(nil) }
        }
    }

    /// Joins the rest of a body to its stored start. Requests the whole body if they do not match.
    private func complete(_ response: DataResponse, _ state: inout State) -> Next {
        guard let begun = state.exchange.begun,
            let whole = StoredPart.completed(
                begun.response, count: begun.data.count, by: stored(response, state.exchange)),
            let total = whole.headers.bodyLength
        else {
            state.number += 1
            return .again(serving: nil, state.handle.take())
        }
        let head = DataResponse(url: response.url, status: 200, headers: whole.headers, expectedLength: total)
        state.exchange.head = head
        state.exchange.total = total
        state.exchange.isToBeKept = total <= cache.bodyLimit && cache.policy.mayStore(whole, to: sent)
        if state.exchange.isToBeKept {
            state.exchange.chunks = [begun.data]
            state.exchange.count = begun.data.count
        }
        state.exchange.received = begun.data.count
        return .deliver(head, first: begun.data)
    }

    private func received(_ data: Data, _ number: Int) {
        let chunks: [Data] = state.withLock { state in
            guard state.number == number, !state.exchange.isConfirmation else { return [] }
            var chunks = [state.exchange.lastChunk, data].compactMap(\.self)
            state.exchange.lastChunk = nil
            state.exchange.received += data.count
            if state.exchange.isToBeKept {
                state.exchange.count += data.count
                if state.exchange.count > cache.bodyLimit {
                    state.exchange.isToBeKept = false
                    state.exchange.chunks = []
                } else {
                    state.exchange.chunks.append(data)
                    let length = state.exchange.total ?? state.exchange.head?.expectedLength
                    if state.exchange.received == length { state.exchange.lastChunk = chunks.popLast() }
                }
            }
            return chunks
        }
        for chunk in chunks { deliver(.chunk(chunk)) }
    }

    private func failed(_ error: DataLoadingError, _ number: Int) {
        let (isOurs, check) = state.withLock { state in
            guard state.number == number else { return (false, nil as Check?) }
            let isBroken = !state.isCancelled && error.isOutage
            let mayServe = state.exchange.head == nil || state.exchange.isConfirmation
            return (true, isBroken && mayServe ? state.exchange.check : nil)
        }
        guard isOurs else { return }
        if let check, check.mayServeOnError {
            return serve(check.found)
        }
        guard let exchange = remains() else { return deliver(.end(error)) }
        change {
            if !self.isInvalidated(exchange) { self.keep(exchange) }
        } then: {
            self.deliver(.end(error))
        }
    }
}
