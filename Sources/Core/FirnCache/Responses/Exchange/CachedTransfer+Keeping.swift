import FirnSync

// Storing responses, and their effect on stored ones.
extension CachedTransfer {
    /// Order: stored before the end is delivered, so that a follow-up request finds it.
    func finished(_ number: Int) {
        let exchange: Exchange? = state.withLock { state in
            guard state.number == number else { return nil }
            defer { state.exchange.chunks = [] }
            return state.exchange
        }
        guard let exchange else { return }
        if exchange.isConfirmation { return confirmed(exchange) }
        guard let head = exchange.head else { return deliver(.end(nil)) }
        if let total = exchange.total, exchange.received != total {
            return deliver(
                .end(DataLoadingError(.truncated, "the body ended after \(exchange.received) of \(total) bytes")))
        }
        let wrong = cache.policy.invalidated(by: request, status: head.status ?? 200, headers: head.headers)
        let isHead = request.method == "HEAD" && exchange.check != nil
        let outdated = isHead ? nil : outdated(exchange)
        guard exchange.isToBeKept || !wrong.isEmpty || isHead || outdated != nil else { return deliver(.end(nil)) }
        change {
            // Order: before the invalidations that this response causes.
            let isInvalidated = self.isInvalidated(exchange)
            for url in wrong { self.cache.store.invalidate(url) }
            if let outdated { self.cache.store.remove(outdated) }
            if isInvalidated { return }
            if isHead { self.applyHead(exchange) }
            if exchange.isToBeKept { self.keep(exchange) }
        } then: {
            self.deliver(.end(nil))
        }
    }

    /// Returns the stored response that must not be reused because a newer, unstored response arrived (RFC 9111
    /// §4.3.3).
    private func outdated(_ exchange: Exchange) -> ResponseStore.Found? {
        guard let check = exchange.check, !exchange.isToBeKept, let status = exchange.head?.status else { return nil }
        return (200..<400).contains(status) && status != 206 || ResponseStatus.endsOlder(status) ? check.found : nil
    }

    /// Changes the store, then calls `then`, which does not delay other changes.
    func change(_ work: @escaping @Sendable () -> Void, then: @escaping @Sendable () -> Void) {
        let cache = cache
        cache.run {
            cache.store.changes.add {
                work()
                cache.run(then)
            }
        }
    }

    /// Handles the server's confirmation of a stored response.
    func confirmed(_ exchange: Exchange) {
        guard let check = exchange.check, let head = exchange.head,
            let updated = cache.policy.confirmed(
                check.found.response, by: head, to: sent, exchange.times)
        else { return open(nil) }
        var found = check.found
        found.response = updated
        // The confirmation may forbid storing.
        let renewed = found
        var asked = sent
        asked.method = "GET"
        // A background revalidation requests no range.
        if updated.status == 206, asked.headers["Range"] == nil { asked.headers["Range"] = "bytes=0-" }
        let whole = asked
        change {
            if self.isInvalidated(exchange) { return }
            if self.cache.policy.mayStore(renewed.response, to: whole) {
                self.cache.store.renew(renewed, with: renewed.response)
            } else {
                self.cache.store.remove(self.request.url)
            }
        } then: {
            self.serve(renewed)
        }
    }

    /// Applies a HEAD response to a stored response.
    private func applyHead(_ exchange: Exchange) {
        guard let check = exchange.check, let head = exchange.head, head.status == check.found.response.status else {
            return
        }
        guard
            let updated = cache.policy.updated(
                check.found.response, byHead: head.headers, exchange.times)
        else { return cache.store.remove(request.url) }
        cache.store.renew(check.found, with: updated)
    }

    /// Returns whether an unsafe request has invalidated the address since the request was sent (RFC 9111 §4.4). The
    /// response may then predate the change. Called from the changes of the store.
    func isInvalidated(_ exchange: Exchange) -> Bool {
        cache.store.isInvalidated(request.url, after: exchange.invalidation)
    }

    func keep(_ exchange: Exchange) {
        guard let head = exchange.head else { return }
        var response = stored(head, exchange)
        var data = Data(capacity: exchange.count)
        if exchange.chunks.count == 1 {
            data = exchange.chunks[0]
        } else {
            for chunk in exchange.chunks { data.append(chunk) }
        }
        let undoes = cache.undoesCodings && response.headers["Content-Encoding"] != nil
        // Offsets in a part count encoded bytes.
        if response.status == 206 { return undoes ? () : keep(part: response, data) }
        if undoes {
            response.headers["Content-Encoding"] = nil
            response.headers["Content-Length"] = String(data.count)
        }
        cache.store.keep(response, data, for: sent)
    }

    /// Stores a part, joined with stored bytes of the same body if they match.
    private func keep(part new: StoredResponse, _ data: Data) {
        guard let part = StoredPart(new), !data.isEmpty, data.count <= part.announced else { return }
        var (response, data) = (new, data)
        if let old = cache.store.find(sent) {
            if old.response.status == 206 {
                if let both = StoredPart.combined(old.response, old.data, with: new, data) { (response, data) = both }
            } else if let validator = BodyValidator(old.response.headers) {
                if validator.matches(new.headers) { return renew(old, by: new) }
            } else if old.response.status == 200, BodyValidator(new.headers) == nil {
                // Nothing indicates that the whole body is outdated.
                return
            }
        }
        guard data.count <= cache.bodyLimit else { return }
        cache.store.keep(response, data, for: sent)
    }

    /// Updates the fields of a stored whole body from a part of it (RFC 9111 §3.4).
    private func renew(_ found: ResponseStore.Found, by part: StoredResponse) {
        guard
            let updated = cache.policy.updated(
                found.response, by: part.headers, part.times)
        else { return }
        cache.store.renew(found, with: updated)
    }

    func stored(_ response: DataResponse, _ exchange: Exchange) -> StoredResponse {
        cache.policy.remembered(
            response, to: sent, exchange.times)
    }

    /// Returns the exchange as a partial one if its body ended early and can be resumed (RFC 9111 §3.3).
    func remains() -> Exchange? {
        var exchange = state.withLock { state in
            defer { state.exchange.chunks = [] }
            return state.exchange
        }
        guard exchange.isToBeKept, request.method == "GET", let head = exchange.head,
            let part = StoredPart.remains(of: stored(head, exchange), count: exchange.count)
        else { return nil }
        exchange.head?.status = part.status
        exchange.head?.headers = part.headers
        return exchange
    }
}
