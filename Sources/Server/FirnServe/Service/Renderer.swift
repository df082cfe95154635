import FirnSync

/// Turns jobs into requests of pipelines: the plan follows from the header of the source, and the encoder is the last
/// step of the request.
struct Renderer: Sendable {
    private let whole: ImagePipeline
    /// The pipeline that decodes parts of large files.
    private let parts: ImagePipeline

    /// Starts to make a result.
    ///
    /// - Parameters:
    ///   - watermark: the watermark that the job names, loaded; `nil` for none.
    ///   - isRefresh: whether the result replaces a stored one and no request waits for it.
    ///   - stored: looks up a stored result, on a thread that may block.
    ///   - made: called once with the bytes, the media type, whether pixels are missing, and the response of the
    ///     source, on the thread that made them.
    /// - Returns: a task whose rendering is the result of `made` or `stored`.
    func task(
        _ job: ResultJob, _ watermark: Watermark?, isRefresh: Bool, stored: @escaping @Sendable () -> ServedResult?,
        made: @escaping @Sendable (Data, String, Bool, StoredResponse?) -> ServedResult
    ) -> ImageTask {
        let pipeline = job.takesParts ? parts : whole
        let limits = pipeline.configuration.limits
        let (prefix, trace) = (isRefresh ? "refresh " : "", Trace.current)
        let rendering = ImageRendering(prefix + job.key, frame: job.page, stored: stored) { source in
            // Other formats may store properties after the pixels.
            guard source.isWhole || source.properties.format == .jpeg else { return nil }
            let info = try SourceInfo(source, limits)
            let plan = try job.plan(info, watermark)
            guard source.isWhole || !plan.needsWhole else { return nil }
            return try plan.rendering(of: source, info, limits, trace) { made($0, $1, $2, source.response) }
        }
        return pipeline.task(
            for: job.source.request(job.sourceRevision, isRefresh ? .low : .normal), rendering: rendering)
    }

    /// Starts to read the properties of a source.
    ///
    /// - Parameters:
    ///   - revision: the last purge of the source.
    ///   - takesParts: whether the limits for files that are decoded in parts apply.
    func description(of source: SourceReference, _ revision: Int, takesParts: Bool) -> ImageTask {
        let pipeline = takesParts ? parts : whole
        let limits = pipeline.configuration.limits
        let rendering = ImageRendering("describe " + source.key) { source in
            guard source.isWhole else { return nil }
            let info = try SourceInfo(source, limits)
            return RenderingPlan { _ in info }
        }
        return pipeline.task(for: source.request(revision), rendering: rendering)
    }

    /// Starts to load the image of a watermark.
    ///
    /// - Parameter revision: the last purge of the image.
    func watermark(_ source: SourceReference, _ revision: Int) -> ImageTask {
        let limits = whole.configuration.limits
        let rendering = ImageRendering("watermark " + source.key) { bytes in
            guard bytes.isWhole else { return nil }
            let (data, extent) = (try bytes.data(), bytes.properties.extent)
            return RenderingPlan(
                region: nil, targetSize: nil, pixelFormat: .bgra8Premultiplied, options: [], processors: []
            ) { container, _ in Watermark(container.image, extent: extent, of: data, limits: limits) }
        }
        return whole.task(for: source.request(revision), rendering: rendering)
    }

    /// The number of tasks that compute or wait for a core, and not for a source.
    var computing: Int { whole.computingTasks + parts.computingTasks }

    /// The number of transfers at once from the host of a source; `nil` for a file.
    func places(for source: SourceReference) -> Int? { whole.transferPlaces(for: source.request()) }

    /// Uses other limits for later work.
    func use(_ limits: AdmissionLimits) { for pipeline in [whole, parts] { pipeline.scheduling.share(limits) } }

    /// Creates a renderer with pipelines of its own.
    ///
    /// - Parameter observer: receives the events of the pipelines.
    init(_ settings: ServeSettings, observer: (any PipelineObserver)?) {
        let limits = settings.inTime(settings.limits)
        var loader = DataLoader.Configuration()
        loader.limits = limits
        loader.network = settings.network
        loader.totalTimeout = settings.timeLimit
        loader.privateHeaders = settings.sourceFields.map(\.name)
        // Before the request ends, so that a host that does not respond is known.
        loader.firstByteTimeout = settings.timeLimit * 9 / 10
        loader.connectTimeout = min(loader.connectTimeout, settings.timeLimit * 9 / 10)
        // The pipeline limits them.
        loader.transfersPerHost = .max
        var configuration = ImagePipeline.Configuration()
        configuration.limits = limits
        configuration.dataLoader = DataLoader(configuration: loader)
        configuration.dataCache = settings.cacheDirectory.map {
            DataCache(directory: "\($0)/sources", isShared: settings.isCacheShared)
        }
        if let credentials = settings.s3Credentials, !settings.s3Sources.isEmpty {
            configuration.dataLoader = S3DataLoader(
                sources: settings.s3Sources, credentials: credentials,
                transport: S3DataLoader.transport(limits: settings.limits, timeLimit: settings.timeLimit),
                others: DataLoader(configuration: loader))
        }
        if settings.tracing.endpoint != nil { configuration.dataLoader = TracedLoader(configuration.dataLoader) }
        // One retry, after a lost connection. The error tells the client when to try again, and until then it takes no
        // place in the queue.
        configuration.retries.limit = 1
        configuration.retries.failures = [.connection, .cutShort]
        configuration.retries.firstDelay = .milliseconds(100)
        configuration.failureTimes = ServeError.sourceTimes
        configuration.automaticPyramidPixels = 0
        configuration.readsWholeFiles = true
        configuration.keepResults(settings.admission, observer)
        whole = ImagePipeline(configuration: configuration)
        parts = Renderer.parts(settings, observer)
    }

    /// Returns the pipeline for parts of large files. It stores tiles of files that can be decoded only from the start.
    private static func parts(_ settings: ServeSettings, _ observer: (any PipelineObserver)?) -> ImagePipeline {
        let keepsTiles = settings.iiif.tileBytes > 0 && settings.iiif.tiledPixels > 0
        var configuration = ImagePipeline.Configuration.ephemeral
        if keepsTiles, let folder = settings.cacheDirectory {
            // For tiles only: results are cached encoded.
            configuration.bitmapStore = BitmapStore(
                directory: "\(folder)/tiles", limits: BitmapStoreLimits(bytes: settings.iiif.tileBytes, entryBytes: 0),
                isShared: settings.isCacheShared)
        }
        configuration.limits = settings.inTime(settings.iiif.sources)
        configuration.pyramidLimits = settings.iiif.sources
        configuration.automaticPyramidPixels = settings.iiif.tiledPixels
        configuration.keepResults(settings.admission, observer)
        return ImagePipeline(configuration: configuration)
    }
}

extension ImagePipeline.Configuration {
    /// Sets what all pipelines of the service share: encoded results are cached, images are not.
    fileprivate mutating func keepResults(_ limits: AdmissionLimits, _ observer: (any PipelineObserver)?) {
        imageCache = nil
        isProgressiveDecodingEnabled = false
        keepsAnimationData = false
        scheduling.share(limits)
        observers = observer.map { [$0] } ?? []
    }
}

extension ImagePipeline.Scheduling {
    /// Sets the limits for many sources, some of which may be slow or dead.
    fileprivate mutating func share(_ limits: AdmissionLimits) {
        computingLimit = Machine.cores
        transferLimit = min(limits.transfers, FreeDescriptors.limit / 3)
        transferLimitPerHost = limits.perHost
        sharesTransfersByHost = true
        bodyMemoryLimit = 64 << 20
        // A file system that stops responding holds at most a quarter of the threads.
        (readingLimit, readingLimitPerFileSystem) = (64, 16)
        // These rules are for a screen on which requests become useless.
        (isPreemptionEnabled, isRateLimiterEnabled) = (false, false)
    }
}

extension ImageTask {
    /// Waits for the result of the task's rendering.
    func rendered<Value: Sendable>() async throws(ServeError) -> Value {
        do throws(ImageLoadingError) {
            guard let value = try await response.rendered as? Value else { throw .cancelled }
            return value
        } catch {
            throw ServeError(error)
        }
    }
}

extension SourceReference {
    /// Returns the request of the source's bytes, which belongs to the current span.
    ///
    /// - Parameter revision: the last purge of the source.
    func request(_ revision: Int = 0, _ priority: ImageRequest.Priority = .normal) -> ImageRequest {
        var data =
            switch self {
            case .file(let path, _): DataRequest(url: FileAddress.url(ofPath: path))
            case .s3(let url, _): DataRequest(url: url)
            case .http(let url, _, let fields): DataRequest(url: url, headers: fields.headers)
            }
        data.revision = revision
        if case .file(_, let version) = self {
            return ImageRequest(dataRequest: data, priority: priority)
                .reading(fromFileSystem: version.status.device)
        }
        data.context = Trace.current
        var request = ImageRequest(dataRequest: data, priority: priority)
        // Otherwise the fields, which may be secrets, would be part of keys on disk.
        if !fields.headers.isEmpty { request.imageID = HexadecimalDigest.text(of: Data("\(key)\n\(revision)".utf8)) }
        return request
    }
}

/// Loads the watermarks that requests name, and keeps the recent ones in memory: 32 MiB, each up to 8 MiB.
struct WatermarkStore: Sendable {
    private let recent = Locked(
        BoundedMap<String, (watermark: Watermark, time: Int)>(limit: 32 << 20, largest: 8 << 20))

    /// Returns a watermark from memory, or draws or loads it now.
    ///
    /// - Parameters:
    ///   - revision: the last purge of its source.
    ///   - now: the seconds since 1970.
    /// - Throws: the error of the source, named as that of the watermark; status 422 for a text that cannot be drawn.
    func watermark(
        _ requested: RequestedWatermark, _ renderer: Renderer, _ settings: ServeSettings, revision: Int, now: Int
    ) async throws(ServeError) -> Watermark {
        let key = "\(requested.key)\n\(revision)"
        let known = recent.withLock { $0.value(for: key) }
        if let known, Duration.seconds(now - known.time) < settings.resultLifetime { return known.watermark }
        do {
            let watermark: Watermark
            switch requested {
            case .text(let text):
                watermark = try await BlockingCall.run { try text.drawn(settings.inTime(settings.limits), $0) }
            case .image(let source): watermark = try await renderer.watermark(source, revision).rendered()
            }
            recent.withLock { $0.store((watermark, now), for: key, cost: watermark.image.size.area * 4) }
            return watermark
        } catch { throw ServeError(ofWatermark: error) }
    }
}

extension ServeError {
    /// Creates the error of a watermark that is not allowed or cannot be loaded or drawn.
    init(ofWatermark error: any Error) {
        let cause = error as? ServeError ?? (error as? ImageError).map { ServeError(422, $0.reason) } ?? .clientClosed
        self.init(cause.status, "watermark: \(cause.message)", retryAfter: cause.retryAfter)
    }
}
