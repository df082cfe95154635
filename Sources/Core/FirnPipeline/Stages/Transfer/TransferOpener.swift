import Synchronization

/// Opens the transfers of requests: by the loader and with the fields that a delegate chooses, and through the HTTP
/// cache for requests that are no plain GETs.
final class TransferOpener: Sendable {
    private let loader: any DataLoading
    private let choices: DelegateLink?
    private let caches: PipelineCaches
    /// The caches of requests that are no plain GETs; `nil` without the rules of HTTP.
    let responses: ResponseCaches?
    /// The number of responses that are for one request alone.
    private let separated = Atomic<Int>(0)

    init(_ configuration: ImagePipeline.Configuration, _ choices: DelegateLink?, _ caches: PipelineCaches) {
        loader = configuration.dataLoader
        self.choices = choices
        self.caches = caches
        responses = configuration.httpCachePolicy.map { ResponseCaches($0, configuration) }
    }

    /// Starts to load `sent`.
    ///
    /// - Parameter isWhole: whether `sent` is the request itself, not one for the rest of a body or for a revalidation.
    func startLoading(
        _ sent: DataRequest, for request: ImageRequest, isWhole: Bool, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        guard let choices else {
            return load(sent, for: request, isWhole: isWhole, by: loader, receive)
        }
        let transfer = PreparedTransfer(receive)
        transfer.start {
            try await choices.prepared(sent, for: request)
        } then: { sent in
            let loader = choices.delegate.dataLoader(for: request, pipeline: choices.pipeline)
            let fields = loader.completed(sent).headers
            return self.load(sent, for: request, isWhole: isWhole, by: loader) { event in
                receive(event.changingResponse { $0.sentFields = fields })
            }
        }
        return transfer
    }

    /// Sends a request by a loader, or through the HTTP cache if it is no plain GET.
    private func load(
        _ sent: DataRequest, for request: ImageRequest, isWhole: Bool, by loader: any DataLoading,
        _ receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        guard isWhole, !sent.isPlain, let cache = httpCache(for: request, HTTPCachePolicy.isSafe(sent.method)) else {
            return loader.startLoading(sent, receive: receive)
        }
        return cache.load(sent, by: loader) { event in receive(event.changingResponse { $0.isJudged = true }) }
    }

    /// The HTTP cache over the data cache of a request; `nil` if it reads or writes none.
    ///
    /// - Parameter isSafe: false for a request that may invalidate stored images, even if they are only in memory.
    private func httpCache(for request: ImageRequest, _ isSafe: Bool = true) -> HTTPCache? {
        guard !isSafe || request.options.readsDisk && request.options.writesDisk else { return nil }
        let dataCache = caches.dataCache(for: request) ?? (isSafe ? nil : NoData.none)
        return dataCache.flatMap { responses?.cache(over: $0) }
    }

    /// Revalidates an entry of the data cache, while it serves a request.
    func revalidate(_ found: ResponseStore.Found, for request: ImageRequest) {
        guard let sent = request.dataRequest, let cache = httpCache(for: request) else { return }
        guard let choices else { return cache.revalidate(found, sent, by: loader) }
        let loader = choices.delegate.dataLoader(for: request, pipeline: choices.pipeline)
        cache.revalidate(found, choices.preparedAtOnce(sent, for: request), by: loader)
    }

    /// Returns a number for the response that a request would get instead of one that was loaded for another request of
    /// the same resource; `nil` if it would get that one.
    func selection(of request: ImageRequest, by response: DataResponse) -> Int? {
        guard let choices, let fields = response.sentFields, let sent = request.dataRequest else { return nil }
        let rule = VaryRule(response.headers)
        if rule == .fields([]) { return nil }
        guard rule != .everything, let prepared = choices.preparedNow(sent, for: request) else {
            // The response is for one request alone, or the delegate suspends.
            return separated.add(1, ordering: .relaxed).newValue
        }
        let loader = choices.delegate.dataLoader(for: request, pipeline: choices.pipeline)
        let selecting = rule.selecting(loader.completed(prepared).headers)
        return selecting == rule.selecting(fields) ? nil : selecting.hashValue | 1
    }

    /// True if other requests of the same resource may get another response, which depends on what a delegate adds.
    func maySelect(by response: DataResponse) -> Bool {
        choices != nil && response.sentFields != nil && VaryRule(response.headers) != .fields([])
    }

    /// True if a request may be served from the data cache as it is: the engine reads only whole bodies. Asks the
    /// delegate of a request for bytes, which may add a range.
    func readsWholeEntries(_ request: ImageRequest) -> Bool {
        guard responses != nil, let sent = request.dataRequest else { return true }
        guard let choices, request.wantsOriginal else { return sent.isPlain }
        return choices.preparedAtOnce(sent, for: request).isPlain
    }
}

extension DataEvent {
    fileprivate func changingResponse(_ body: (inout DataResponse) -> Void) -> DataEvent {
        guard case .response(var response) = self else { return self }
        body(&response)
        return .response(response)
    }
}
