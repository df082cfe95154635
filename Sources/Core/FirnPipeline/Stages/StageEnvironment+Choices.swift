import FirnData
import FirnImage
import FirnSync
import FoundationEssentials
import Synchronization

// The parts that a request uses: those of the pipeline, or those chosen by its delegate.
extension StageEnvironment {
    func imageCache(for request: ImageRequest) -> (any ImageCaching)? {
        choices == nil ? imageCache : choices?.imageCache(for: request)
    }

    func dataCache(for request: ImageRequest) -> (any DataCaching)? {
        choices == nil ? dataCache : choices?.dataCache(for: request)
    }

    /// Returns whether the request has a data cache. Retains nothing if there is no delegate.
    func hasDataCache(for request: ImageRequest) -> Bool {
        choices == nil ? keepsData : choices?.dataCache(for: request) != nil
    }

    /// The encoder of an image for the data cache.
    func encoder(_ container: ImageContainer, for request: ImageRequest) -> (any ImageEncoding)? {
        if choices == nil, encoderChoice == nil { return encoder }
        let context = ImageEncodingContext(request: request, container: container)
        return choices == nil ? encoderChoice?(context) : choices?.encoder(for: context)
    }

    /// The entry of a request in the data cache, or about to be stored there. A failing cache behaves like an empty
    /// one.
    func cachedEntry(_ key: String, for request: ImageRequest) -> DataCacheEntry? {
        guard let cache = dataCache(for: request) else { return nil }
        if let entry = pendingEntry(key, for: request) { return entry }
        if isOutdated(key, for: request) { return nil }
        do throws(DataCachingError) {
            return try cache.entry(for: key)
        } catch {
            failedLookups.add(1, ordering: .relaxed)
            report(error, of: request)
            return nil
        }
    }

    /// Reports a failed data cache to the delegate and the observers. A folder that is refused is reported once, for
    /// all caches in it.
    func report(_ error: DataCachingError, of request: ImageRequest) {
        if error.isRefusal, !refusals.withLock({ $0.insert(error.message).inserted }) { return }
        choices?.failed(error, for: request)
        observers?.emit(.dataCacheFailed(error, request), at: Duration.monotonic().nanoseconds)
    }

    /// The decoder of content that starts with `head`, for the origin of the request.
    func decoder(
        _ head: Data, _ response: DataResponse?, isFromDisk: Bool = false, for request: ImageRequest
    ) -> (any ImageDecoding)? {
        let chosen = chosenDecoder(head, response, isFromDisk: isFromDisk, for: request)
        guard request.origin == .loader, let aware = chosen as? any OriginAwareDecoding else { return chosen }
        if let observers, !hasReportedIsolation.load(ordering: .relaxed),
            let problem = aware.isolationProblem(for: .loader),
            !hasReportedIsolation.exchange(true, ordering: .relaxed)
        {
            observers.emit(.isolationUnavailable(problem, request), at: Duration.monotonic().nanoseconds)
        }
        return aware.decoder(for: .loader)
    }

    private func chosenDecoder(
        _ head: Data, _ response: DataResponse?, isFromDisk: Bool, for request: ImageRequest
    ) -> (any ImageDecoding)? {
        if choices == nil, decoderChoice == nil, RegisteredDecoders.isEmpty {
            return decoders.first { $0.recognizes(head) != nil }
        }
        let context = ImageDecodingContext(
            request: request, data: head, response: response, cacheType: isFromDisk ? .disk : nil)
        if let choices { return choices.decoder(for: context) }
        if let registered = RegisteredDecoders.decoder(for: context) { return registered }
        return decoderChoice.map { $0(context) } ?? decoders.first { $0.recognizes(head) != nil }
    }

    /// Starts to load `sent`, which may be a range request for the rest of a body.
    func startLoading(
        _ sent: DataRequest, for request: ImageRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        guard let choices else { return loader.startLoading(sent, receive: receive) }
        let transfer = PreparedTransfer(receive)
        transfer.start {
            try await choices.prepared(sent, for: request)
        } then: { sent in
            choices.loader(for: request).startLoading(sent, receive: receive)
        }
        return transfer
    }
}
