import FirnSync

// Requests to the server, and the handling of their responses.
extension CachedTransfer {
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
                invalidation: invalidation, requestTime: moment)
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
        case serve(ResponseStore.Found, (any DataTransfer)?)
        case repeatExchange((any DataTransfer)?)
    }

    private func responded(_ response: DataResponse, _ number: Int) {
        let moment = cache.moment
        let next: Next = state.withLock { state in
            guard state.number == number else { return .nothing }
            state.exchange.head = response
            state.exchange.responseTime = moment
            let status = response.status ?? 200
            if state.exchange.isConditional, status == 304 {
                state.exchange.isConfirmation = true
                return .nothing
            }
            if state.exchange.begun != nil, status == 206 || status == 416 { return complete(response, &state) }
            if let check = state.exchange.check, check.mayServeOnError, ResponseStatus.isServerFailure(status) {
                state.number += 1
                defer { state.handle = nil }
                return .serve(check.found, state.handle)
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
        case .serve(let found, let handle):
            handle?.cancel()
            serve(found)
        case .repeatExchange(let handle):
            handle?.cancel()
            open(nil)
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
            defer { state.handle = nil }
            return .repeatExchange(state.handle)
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
