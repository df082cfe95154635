import FirnCache
import FirnData
import FirnImage
import FirnSync
import FoundationEssentials
import Synchronization

/// The parts that the stages use. They are fixed when the pipeline is created.
///
/// A class, since it is passed to every stage of every job. A copy of a struct would retain all parts, on all cores at
/// once.
final class StageEnvironment: Sendable {
    let configuration: ImagePipeline.Configuration
    var files: any FileSystem { configuration.files }
    var limits: ImageLimits { configuration.limits }
    /// Decides what the data cache stores. The default if there is no encoder.
    let dataCachePolicy: DataCachePolicy
    /// Stores the first bytes of bodies while they arrive.
    let partialSegments: PartialSegmentCache?
    /// Chooses some of these parts for each request; `nil` if all requests use the same parts.
    let choices: DelegateLink?
    /// Recent failures; `nil` if they are not remembered.
    let failures: FailureCache?
    /// The number of images that the memory cache had.
    let memoryHits = CoreCounter()
    /// The number of lookups that failed with an error of a data cache.
    let failedLookups = Atomic<Int>(0)
    /// The messages of refused cache folders that were reported. Every later call fails with the same message.
    let reportedRefusals = Locked<Set<String>>([])
    let emitter: EventEmitter
    /// True if the observers know that images are not isolated.
    let hasReportedIsolation = Atomic<Bool>(false)
    /// Decides how long stored bytes are fresh; `nil` for forever.
    let freshness: FreshnessRules?
    /// The caches of requests that are no plain GETs; `nil` without the rules of HTTP.
    let responses: ResponseCaches?
    /// True if there can be a memory cache.
    let keepsImages: Bool
    /// True if there is a bitmap store, and whether all requests have a data cache. Read without a copy of the parts.
    let keepsBitmaps: Bool
    let keepsData: Bool
    let pyramids: PyramidBuilds
    /// Contents that were loaded and are not stored yet.
    let pending = PendingStores()
    /// The data-cache keys of sources whose images on disk are of an older version. Lookups do not use these images.
    let outdated = Locked<Set<String>>([])
    /// The digests of large files whose tiles are on disk, by path. Few files have pyramids at the same time.
    let digests = RecentValues<String, (version: SourceVersion, digest: UInt64)>(capacity: 64)
    /// The indexes of large images without a pyramid, by the key that it would have.
    let partIndexes = RecentValues<ImageCacheKey, (source: PyramidSource, index: Data)>(capacity: 4)
    /// The number of requests that share no work.
    private let separated = Atomic<Int>(0)

    /// - Parameter choices: the delegate's choices; `nil` without a delegate.
    init(_ configuration: ImagePipeline.Configuration, choices: DelegateLink? = nil) {
        self.configuration = configuration
        partialSegments = configuration.partialDataCache.map { PartialSegmentCache(cache: $0) }
        let encodes = configuration.imageEncoder != nil || configuration.encoderChoice != nil || choices != nil
        dataCachePolicy = encodes ? configuration.dataCachePolicy : .storeOriginalData
        self.choices = choices
        failures = configuration.failureTimes.count > 0 ? FailureCache(configuration.failureTimes) : nil
        emitter = EventEmitter(configuration.observers)
        freshness = configuration.httpCachePolicy.map { FreshnessRules($0, configuration, choices) }
        responses = configuration.httpCachePolicy.map { ResponseCaches($0, configuration) }
        pyramids = PyramidBuilds(PyramidPolicy(minimumPixels: configuration.automaticPyramidPixels))
        keepsImages = configuration.imageCache != nil || choices != nil
        keepsBitmaps = configuration.bitmapStore != nil
        keepsData = configuration.dataCache != nil
    }

    /// The key by which requests share work. It is unique if coalescing is off.
    @inline(__always)
    func workKey(_ key: ResourceKey) -> ResourceKey {
        if configuration.isTaskCoalescingEnabled { return key }
        return ResourceKey("\(key.text)#\(separated.add(1, ordering: .relaxed).newValue)")
    }

    func imageCache(for request: ImageRequest) -> (any ImageCaching)? {
        choices == nil ? configuration.imageCache : choices?.imageCache(for: request)
    }

    func dataCache(for request: ImageRequest) -> (any DataCaching)? {
        choices == nil ? configuration.dataCache : choices?.dataCache(for: request)
    }

    /// Returns whether the request has a data cache. Retains nothing if there is no delegate.
    func hasDataCache(for request: ImageRequest) -> Bool {
        choices == nil ? keepsData : choices?.dataCache(for: request) != nil
    }

    func encoder(_ container: ImageContainer, for request: ImageRequest) -> (any ImageEncoding)? {
        if choices == nil, configuration.encoderChoice == nil { return configuration.imageEncoder }
        let context = ImageEncodingContext(request: request, container: container)
        guard let choices else { return configuration.encoderChoice?(context) }
        return choices.delegate.imageEncoder(for: context, pipeline: choices.pipeline)
    }

    /// The entry of a request in the data cache, or about to be stored there. A failing cache behaves like an empty
    /// one.
    ///
    /// - Returns: the entry, and its own key: that of a variant if the address has several.
    func cachedEntry(_ key: String, for request: ImageRequest) -> (entry: DataCacheEntry, key: String)? {
        guard let cache = dataCache(for: request) else { return nil }
        if let entry = pendingEntry(key, for: request) { return (entry, key) }
        if isOutdated(key, for: request) { return nil }
        do throws(DataCachingError) {
            return try ResponseStore.entry(of: key, in: cache) { freshness?.sentFields(of: request) ?? [:] }
        } catch {
            failedLookups.add(1, ordering: .relaxed)
            report(error, of: request)
            return nil
        }
    }

    /// Removes the entry of a key from the data cache of a request, and its variants.
    func removeEntry(_ key: String, of request: ImageRequest) {
        guard let cache = dataCache(for: request) else { return }
        // Variants differ by what a delegate adds.
        if choices == nil { try? cache.remove(key) } else { ResponseStore.remove(key, in: cache) }
    }

    /// Reports a failed data cache to the delegate and the observers. A folder that is refused is reported once, for
    /// all caches in it.
    func report(_ error: DataCachingError, of request: ImageRequest) {
        if error.isRefusal, !reportedRefusals.withLock({ $0.insert(error.message).inserted }) { return }
        if let choices { choices.delegate.dataCacheFailed(with: error, for: request, pipeline: choices.pipeline) }
        emitter.emit(.dataCacheFailed(error, request))
    }

    /// The decoder of content that starts with `head`, for the origin of the request.
    func decoder(
        _ head: Data, _ response: DataResponse?, isFromDisk: Bool = false, for request: ImageRequest
    ) -> (any ImageDecoding)? {
        let chosen = chosenDecoder(head, response, isFromDisk: isFromDisk, for: request)
        guard request.origin == .loader, let aware = chosen as? any OriginAwareDecoding else { return chosen }
        if emitter.isObserved, !hasReportedIsolation.load(ordering: .relaxed),
            let problem = aware.isolationProblem(for: .loader),
            !hasReportedIsolation.exchange(true, ordering: .relaxed)
        {
            emitter.emit(.isolationUnavailable(problem, request))
        }
        return aware.decoder(for: .loader)
    }

    private func chosenDecoder(
        _ head: Data, _ response: DataResponse?, isFromDisk: Bool, for request: ImageRequest
    ) -> (any ImageDecoding)? {
        if choices == nil, configuration.decoderChoice == nil, RegisteredDecoders.shared.isEmpty {
            return configuration.decoders.first { $0.recognizes(head) != nil }
        }
        let context = ImageDecodingContext(
            request: request, data: head, response: response, cacheType: isFromDisk ? .disk : nil)
        if let choices { return choices.delegate.imageDecoder(for: context, pipeline: choices.pipeline) }
        return RegisteredDecoders.shared.decoder(for: context) ?? configuration.makeImageDecoder(context)
    }

    /// Starts to load `sent`.
    ///
    /// - Parameter isWhole: whether `sent` is the request itself, not one for the rest of a body or for a revalidation.
    func startLoading(
        _ sent: DataRequest, for request: ImageRequest, isWhole: Bool, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        guard let choices else {
            return load(sent, for: request, isWhole: isWhole, by: configuration.dataLoader, receive)
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
        let dataCache = dataCache(for: request) ?? (isSafe ? nil : NoData.none)
        return dataCache.flatMap { responses?.cache(over: $0) }
    }

    /// Revalidates an entry of the data cache, while it serves a request.
    func revalidate(_ found: ResponseStore.Found, for request: ImageRequest) {
        guard let sent = request.dataRequest, let cache = httpCache(for: request) else { return }
        guard let choices else { return cache.revalidate(found, sent, by: configuration.dataLoader) }
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
