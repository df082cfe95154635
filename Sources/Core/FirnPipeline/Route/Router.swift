import Synchronization

/// Finds where the work for a request starts. Does not block and does no work of a stage.
///
/// It calls the delegate, so it must not run under the lock of the table.
final class Router: Sendable {
    let caches: PipelineCaches
    private let failures: FailureCache?
    private let isCoalescing: Bool
    /// The number of requests that share no work.
    private let separated = Atomic<Int>(0)

    init(_ caches: PipelineCaches, _ failures: FailureCache?, isCoalescing: Bool) {
        self.caches = caches
        self.failures = failures
        self.isCoalescing = isCoalescing
    }

    enum Start {
        /// The memory cache has the image.
        case image(ImageContainer)
        /// The source failed a short time ago, and no cache can have the image.
        case failure(DataLoadingError)
        case work(RouteStart)
    }

    /// Returns the start of a request's work.
    ///
    /// - Parameters:
    ///   - route: the places that were tried before.
    ///   - show: called with an image to show until the requested one is available, and whether it is stale.
    func start(
        of request: ImageRequest, _ route: Route = Route(), show: (ImageContainer, Bool) -> Void = { _, _ in }
    ) -> Start {
        // Without a memory cache all work starts with the bytes, so nothing is looked up and nothing is copied.
        guard caches.keepsImages else {
            return load(request, key: request.identities.resource, steps: request.steps, route)
        }
        let found = MemoryRoute(of: request, in: caches)
        if let base = found.base, found.steps.count == 0 { return .image(base) }
        if let preview = found.preview { show(preview, found.isPreviewStale) }
        guard let base = found.base else { return load(request, key: found.key, steps: found.steps, route) }
        return .work(work(.useMemoryImage(base), key: found.key, steps: found.steps, route.starting(at: .source)))
    }

    /// The start without an image in memory.
    private func load(_ request: ImageRequest, key: ResourceKey, steps: RequestSteps, _ route: Route) -> Start {
        let hasDataCache = caches.hasDataCache(for: request)
        let keepsProcessed = caches.dataCachePolicy.keepsProcessed && request.isProcessed && hasDataCache
        if keepsProcessed, route.mayReadProcessed, !request.wantsBytes, request.options.readsDisk, request.isKeptOnDisk
        {
            let own = ProcessedImage(
                key: request.processedDataCacheKey, processed: request.processors.count, isFinal: true)
            var start = read(own, for: request, route)
            if isCoalescing { start.leadsTo = key }
            return .work(start)
        }
        // A view then shows the failure in the call that requests the image. Otherwise a stage reports it after a
        // lookup in the caches.
        if !caches.keepsBitmaps, !keepsProcessed, let failure = failures?.certainFailure(for: request) {
            return .failure(failure)
        }
        let key = route.selection == 0 ? key : ResourceKey("\(key.text)|fields=\(route.selection)")
        var start = work(nil, key: key, steps: steps, route.starting(at: .source))
        start.hasDataCache = hasDataCache
        start.keepsBitmaps = caches.keepsBitmaps
        return .work(start)
    }

    /// The start with a processed image on disk.
    func read(_ image: ProcessedImage, for request: ImageRequest, _ route: Route) -> RouteStart {
        work(
            .readProcessed(key: image.key), key: ResourceKey("|made:\(image.key)"),
            steps: request.rest(after: image).steps,
            route.starting(at: image.isFinal ? .processed : .part))
    }

    /// The start with the region of a request, to which its processors are to be applied.
    func process(_ region: ImageContainer, for request: ImageRequest, _ route: Route) -> RouteStart {
        var part = request
        part.processors = []
        return work(
            .useMemoryImage(region), key: ResourceKey("|tiles:\(part.imageCacheKey)#\(region.image.size)"),
            steps: .list(ImageRequest.steps(of: request.processors)), route.starting(at: .source))
    }

    /// The start with a transfer into a file.
    ///
    /// - Parameter joins: whether it joins a load of the same resource, if there is one.
    func start(of download: FileDownload, joins: Bool) -> RouteStart {
        let key =
            joins ? workKey(download.request.identities.resource) : ResourceKey("|download:\(download.path)")
        return RouteStart(key: key, steps: .list([]), work: .download(download), route: Route())
    }

    /// The key by which requests share work. It is unique if coalescing is off.
    @inline(__always)
    private func workKey(_ key: ResourceKey) -> ResourceKey {
        if isCoalescing { return key }
        return ResourceKey("\(key.text)#\(separated.add(1, ordering: .relaxed).newValue)")
    }

    private func work(_ work: JobWork?, key: ResourceKey, steps: RequestSteps, _ route: Route) -> RouteStart {
        RouteStart(key: workKey(key), steps: steps, work: work, route: route)
    }

    /// The processed image on disk with the fewest remaining steps, for a request whose original is not there. Any
    /// policy allows it, since a read costs less than a load. Blocks on disk I/O.
    func processedImage(for request: ImageRequest, _ route: Route) -> ProcessedImage? {
        guard route.mayReadPart, request.isProcessed, !request.wantsBytes, request.options.readsDisk,
            request.isKeptOnDisk, caches.hasDataCache(for: request)
        else { return nil }
        return request.processedImages.first { route.mayRead($0) && caches.hasEntry($0.key, for: request) }
    }
}

/// The start of the work for a task: the root job that it joins, and the steps from there to its image.
struct RouteStart {
    var key: ResourceKey
    var steps: RequestSteps
    /// Reads the image that the work starts with; `nil` to fetch the bytes.
    var work: JobWork?
    /// Choices of the delegate, which must not be called under the lock of the table.
    var hasDataCache = false
    var keepsBitmaps = false
    /// The root job with the bytes, for work that looks for something made of them.
    var leadsTo: ResourceKey?
    /// The route of the task from now on.
    var route: Route

    /// True if the work is the transfer of a download.
    var isDownload: Bool { if case .download? = work { true } else { false } }
}
