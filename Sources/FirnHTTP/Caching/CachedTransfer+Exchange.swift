import FirnData
import FirnSync
import FoundationEssentials

// What is asked of the server, and what its answer does.
extension CachedTransfer {
    /// Asks the loader below: for the answer, or whether the kept one still holds.
    func open(_ check: Check?) {
        let (sent, isConditional) = question(check)
        let moment = cache.moment
        let number: Int? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.number += 1
            state.handle = nil
            state.exchange = Exchange(check: check, isConditional: isConditional, requestTime: moment)
            return state.number
        }
        guard let number else {
            return deliver(.end(DataLoadingError(.cancelled, "the transfer was cancelled")))
        }
        let handle = cache.loader.startLoading(sent) { self.receive($0, number) }
        let (isUseless, isPaused, priority) = state.withLock { state in
            guard state.number == number, !state.isOver else { return (true, false, nil as DataPriority?) }
            state.handle = handle
            return (state.isCancelled, state.isPaused, state.priority)
        }
        if isUseless { return handle.cancel() }
        if let priority { handle.setPriority(priority) }
        if isPaused { handle.pause() }
    }

    private func question(_ check: Check?) -> (DataRequest, isConditional: Bool) {
        var sent = request
        // The asker's connection is not ours.
        sent.headers = ConnectionFields.removed(from: request.headers)
        guard let check, request.method == "GET" else { return (sent, false) }
        let validators = cache.policy.validators(of: check.found.response)
        guard !validators.isEmpty else { return (sent, false) }
        for name in ["If-None-Match", "If-Modified-Since"] { sent.headers[name] = nil }
        for field in validators.fields { sent.headers.append(field.name, field.value) }
        return (sent, true)
    }

    // MARK: What the server says

    private func receive(_ event: DataEvent, _ number: Int) {
        switch event {
        case .response(let response): answered(response, number)
        case .chunk(let data): took(data, number)
        case .end(nil): finished(number)
        case .end(let error?): failed(error, number)
        }
    }

    private func answered(_ response: DataResponse, _ number: Int) {
        enum Next {
            case nothing, deliver
            case serve(ResponseStore.Found, (any DataTransfer)?)
        }
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
            if let check = state.exchange.check, check.mayServeOnError, HTTPCachePolicy.isServerFailure(status) {
                state.number += 1
                defer { state.handle = nil }
                return .serve(check.found, state.handle)
            }
            state.exchange.isToBeKept = cache.policy.mayStore(stored(response, state.exchange), to: request)
            return .deliver
        }
        switch next {
        case .nothing: break
        case .deliver:
            cache.count { $0.misses += 1 }
            var response = response
            response.headers = ConnectionFields.removed(from: response.headers)
            deliver(.response(response))
        case .serve(let found, let handle):
            handle?.cancel()
            cache.count { $0.staleHits += 1 }
            serve(found)
        }
    }

    private func took(_ data: Data, _ number: Int) {
        let isForAsker = state.withLock { state in
            guard state.number == number, !state.exchange.isConfirmation else { return false }
            if state.exchange.isToBeKept {
                state.exchange.count += data.count
                if state.exchange.count > cache.bodyLimit {
                    state.exchange.isToBeKept = false
                    state.exchange.chunks = []
                } else {
                    state.exchange.chunks.append(data)
                }
            }
            return true
        }
        if isForAsker { deliver(.chunk(data)) }
    }

    private func failed(_ error: DataLoadingError, _ number: Int) {
        let (isOurs, check) = state.withLock { state in
            guard state.number == number else { return (false, nil as Check?) }
            let isBroken = !state.isCancelled && CachedTransfer.isFailure(error)
            let mayServe = state.exchange.head == nil || state.exchange.isConfirmation
            return (true, isBroken && mayServe ? state.exchange.check : nil)
        }
        guard isOurs else { return }
        if let check, check.mayServeOnError {
            cache.count { $0.staleHits += 1 }
            return serve(check.found)
        }
        deliver(.end(error))
    }

    /// Whether an error says that the server could not be asked, or failed.
    private static func isFailure(_ error: DataLoadingError) -> Bool {
        switch error.cause {
        case .connection, .timeout, .truncated, .other: true
        case .status(let status): HTTPCachePolicy.isServerFailure(status)
        case .badAddress, .unreadable, .insecure, .forbidden, .redirect, .tooLarge, .refused, .cancelled: false
        }
    }

    // MARK: What is kept of it

    /// Order: kept before the end is told, so that whoever asks then finds it.
    private func finished(_ number: Int) {
        let exchange: Exchange? = state.withLock { state in
            guard state.number == number else { return nil }
            defer { state.exchange.chunks = [] }
            return state.exchange
        }
        guard let exchange else { return }
        if exchange.isConfirmation { return confirmed(exchange) }
        guard let head = exchange.head else { return deliver(.end(nil)) }
        let wrong = cache.policy.invalidated(by: request, status: head.status ?? 200, headers: head.headers)
        let isHead = request.method == "HEAD" && exchange.check != nil
        guard exchange.isToBeKept || !wrong.isEmpty || isHead else { return deliver(.end(nil)) }
        change {
            for url in wrong { self.cache.store.remove(url) }
            if isHead { self.learn(exchange) }
            if exchange.isToBeKept { self.keep(exchange) }
        } then: {
            self.deliver(.end(nil))
        }
    }

    /// Changes the store; what follows does not hold up the changes of others.
    private func change(_ work: @escaping @Sendable () -> Void, then: @escaping @Sendable () -> Void) {
        let cache = cache
        cache.run {
            cache.store.changes.add {
                work()
                cache.run(then)
            }
        }
    }

    /// The server says that what is kept still holds.
    private func confirmed(_ exchange: Exchange) {
        guard let check = exchange.check, let head = exchange.head,
            let updated = cache.policy.updated(
                check.found.response, by: head.headers, requestTime: exchange.requestTime,
                responseTime: exchange.responseTime)
        else { return open(nil) }
        var found = check.found
        found.response = updated
        cache.count { $0.revalidations += 1 }
        // It may have to be forgotten now.
        let answer = found
        change {
            if self.cache.policy.mayStore(answer.response, to: self.whole) {
                self.cache.store.renew(answer)
            } else {
                self.cache.store.remove(self.request.url)
            }
        } then: {
            self.serve(answer)
        }
    }

    /// What a HEAD says of an answer that is kept.
    private func learn(_ exchange: Exchange) {
        guard let check = exchange.check, let head = exchange.head, head.status == check.found.response.status else {
            return
        }
        guard
            let updated = cache.policy.updated(
                check.found.response, byHead: head.headers, requestTime: exchange.requestTime,
                responseTime: exchange.responseTime)
        else { return cache.store.remove(request.url) }
        var found = check.found
        found.response = updated
        cache.store.renew(found)
    }

    private func keep(_ exchange: Exchange) {
        guard let head = exchange.head else { return }
        var response = stored(head, exchange)
        var data = Data(capacity: exchange.count)
        if exchange.chunks.count == 1 {
            data = exchange.chunks[0]
        } else {
            for chunk in exchange.chunks { data.append(chunk) }
        }
        if cache.undoesCodings, response.headers["Content-Encoding"] != nil {
            response.headers["Content-Encoding"] = nil
            response.headers["Content-Length"] = String(data.count)
        }
        cache.store.keep(response, data, for: request)
        cache.count { $0.stores += 1 }
    }

    private var whole: DataRequest {
        var request = request
        request.method = "GET"
        return request
    }

    private func stored(_ response: DataResponse, _ exchange: Exchange) -> StoredResponse {
        cache.policy.remembered(
            response, to: request, requestTime: exchange.requestTime, responseTime: exchange.responseTime)
    }
}
