public import FirnImage
public import FoundationEssentials
import Synchronization

/// Loads pictures: from caches, files and the network, decoded and processed in the background.
///
/// Equal work is done once for all who ask for it at the same time. All calls return at once, on any thread.
///
/// ```swift
/// let picture = try await ImagePipeline.shared.image(for: "https://example.org/photo.jpg")
/// ```
public final class ImagePipeline: Sendable {
    /// How it is made.
    public let configuration: Configuration
    private let runner: JobRunner
    private let imageCache: (any ImageCaching)?
    private let environment: StageEnvironment

    /// What a load ends with when there is no picture.
    public typealias Error = ImageLoadingError

    /// A pipeline of the parts in `configuration`. Its threads start with the first request.
    public init(configuration: Configuration) {
        self.configuration = configuration
        imageCache = configuration.imageCache
        environment = StageEnvironment(
            loader: configuration.dataLoader, dataCache: configuration.dataCache,
            imageCache: configuration.imageCache, decoders: configuration.decoders, files: configuration.files,
            limits: configuration.limits)
        runner = JobRunner(environment: environment, limits: configuration.stageLimits)
    }

    deinit { runner.close() }

    // MARK: Loading

    /// The picture of a request.
    ///
    /// A picture in the memory cache is returned without leaving the caller's thread or suspending. Cancelling the
    /// Swift task that waits ends the wait at once, and the work unless others need it.
    public func image(for request: ImageRequest) async throws(ImageLoadingError) -> Bitmap {
        if let container = cached(request) { return container.image }
        return try await launch(request).image
    }

    /// The picture at an address.
    public func image(for url: URL) async throws(ImageLoadingError) -> Bitmap {
        try await image(for: ImageRequest(url: url))
    }

    /// The picture at an address.
    public func image(for url: String) async throws(ImageLoadingError) -> Bitmap {
        try await image(for: ImageRequest(url: url))
    }

    /// A task that loads a request's picture. It is under way, or has ended, when this returns.
    public func imageTask(with request: ImageRequest) -> ImageTask {
        guard let container = cached(request) else { return launch(request) }
        let task = ImageTask(request: request, owner: runner)
        task.end(.success(ImageResponse(container: container, request: request, cacheType: .memory)))
        return task
    }

    /// A task that loads the picture at an address.
    public func imageTask(with url: URL) -> ImageTask { imageTask(with: ImageRequest(url: url)) }

    /// Loads a request's picture for callers without `async`.
    ///
    /// - Parameters:
    ///   - executor: where `progress` and `completion` are called. Default: the main queue.
    ///   - progress: called when bytes have arrived; never after `completion`.
    ///   - completion: called exactly once, also after ``ImageTask/cancel()``.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, on executor: CallbackExecutor = .main,
        progress: (@Sendable (ImageTask.Progress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void
    ) -> ImageTask {
        let task = imageTask(with: request)
        let isOver = Flag()
        task.listen(
            .callback { event in
                executor.run {
                    switch event {
                    case .progress(let value): if !isOver.isSet { progress?(value) }
                    case .preview: break
                    case .finished(let result):
                        isOver.set()
                        completion(result)
                    }
                }
            })
        return task
    }

    // MARK: State

    /// The picture of a request, if the memory cache has it and the request may read it.
    public func cachedImage(for request: ImageRequest) -> Bitmap? { cached(request)?.image }

    /// What has been done so far.
    public var statistics: PipelineStatistics { runner.statistics }

    /// Returns once everything that is to be kept on disk is there.
    public func flush() async { await runner.flush() }

    /// Takes no more requests: those made from now on fail with fault `pipeline`. Those under way go on.
    public func invalidate() { runner.close() }

    private func cached(_ request: ImageRequest) -> ImageContainer? {
        guard request.readsMemory, let container = imageCache?[request.imageCacheKey],
            environment.isCurrent(container, of: request)
        else { return nil }
        runner.memoryHits.wrappingAdd(1, ordering: .relaxed)
        return container
    }

    private func launch(_ request: ImageRequest) -> ImageTask {
        let task = ImageTask(request: request, owner: runner)
        runner.start(task)
        return task
    }

    /// Set once by the executor that the callbacks run on, which runs them one after the other.
    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }
}
